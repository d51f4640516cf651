import type { ContentMap } from "./inline.ts";
import type { SourceLines } from "./source-lines.ts";

/**
 * Where an inline token's content stands in the source: its lines are the ends of the block's lines, with markers
 * and indentation before them.
 */
export function locateLines(content: string, firstLine: number, lines: SourceLines): ContentMap {
  const starts: { readonly content: number; readonly source: number }[] = [];
  let offset = 0;
  for (const [index, text] of content.split("\n").entries()) {
    const line = firstLine + index;
    const column = Math.max(0, lines.text(line).lastIndexOf(text.trim()));
    // A tab of the source may be several spaces of the content, so that indentation is no guide to the column.
    const indentation = text.length - text.trimStart().length;
    starts.push({ content: offset, source: lines.start(line) + Math.max(0, column - indentation) });
    starts.push({ content: offset + indentation, source: lines.start(line) + column });
    offset += text.length + 1;
  }
  return (at) => {
    const start = starts[lastBefore(starts, at)] ?? { content: 0, source: 0 };
    return start.source + (at - start.content);
  };
}

/** The last of the starts that is not behind `at`. They are in order, and a paragraph may have many thousands. */
function lastBefore(starts: readonly { readonly content: number }[], at: number): number {
  let low = -1;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle]?.content ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where a table cell's content stands in its row; `\|` of the source is `|` of the content. */
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
