import type { ContentMap } from "./inline.ts";
import { lastNotBehind, type SourceLines } from "./source-lines.ts";

/**
 * Returns a map from an inline token's content to the source. Each line of the content is the part of a source line
 * that follows the markers and the indentation of its block.
 */
export function locateLines(content: string, firstLine: number, lines: SourceLines): ContentMap {
  // The starts of runs in the content and in the source. Within a run, both offsets advance equally. A paragraph may
  // have thousands of runs.
  const contents: number[] = [];
  const sources: number[] = [];
  const add = (inContent: number, inSource: number) => {
    contents.push(inContent);
    sources.push(inSource);
  };
  let offset = 0;
  for (const [index, text] of content.split("\n").entries()) {
    const line = firstLine + index;
    const column = Math.max(0, lines.text(line).lastIndexOf(text.trim()));
    // A tab of the source may be several spaces in the content, so the column cannot be derived from the indentation.
    const indentation = text.length - text.trimStart().length;
    add(offset, lines.start(line) + Math.max(0, column - indentation));
    add(offset + indentation, lines.start(line) + column);
    offset += text.length + 1;
  }
  return (at) => {
    const stretch = lastNotBehind(contents, at);
    return (sources[stretch] ?? 0) + (at - (contents[stretch] ?? 0));
  };
}

/**
 * Returns a map from a table cell's content to its row, and the end of the cell. `\|` in the source is `|` in the
 * content.
 */
export function locateCell(
  content: string,
  row: string,
  from: number,
): { map: (at: number) => number; end: number } {
  const written = content.replaceAll("|", "\\|");
  const plain = row.indexOf(content, from);
  const escaped = row.indexOf(written, from);
  const start = escaped !== -1 && content.includes("|") ? escaped : Math.max(from, plain);
  const text = start === escaped && content.includes("|") ? written : content;
  const offsets: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "\\" && text[index + 1] === "|" && text !== content) continue;
    offsets.push(start + index);
  }
  return { map: (at) => offsets[at] ?? start + text.length, end: start + text.length };
}
