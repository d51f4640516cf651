import type { Token } from "markdown-it";

/**
 * Lines that Markdown draws nothing for: link definitions (`[//]: # (a note to the agent)` is the usual hiding
 * place) and footnotes that nobody refers to. As ranges of lines from 0, the end not included.
 */
export function undrawnLines(tokens: readonly Token[], body: string, count: number): [number, number][] {
  const drawn = new Uint8Array(count + 1);
  for (const { type, map, meta } of tokens) {
    if (map && DRAWN.has(type)) drawn.fill(1, map[0], map[1]);
    if (map && type === "details_open") {
      if (meta?.opensAlone) drawn[map[0]] = 1;
      if (meta?.closesAlone) drawn[map[1] - 1] = 1;
    }
  }
  const ranges: [number, number][] = [];
  for (const [line, text] of body.split(/\r\n|\n|\r/).entries()) {
    // Blank, or nothing but the marks of a quote or a list.
    if (drawn[line] === 1 || /^[\s>*+-]*(?:\d+[.)]\s*)?$/.test(text)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === line) last[1] = line + 1;
    else ranges.push([line, line + 1]);
  }
  return ranges;
}

const DRAWN = new Set([
  "inline",
  "heading_open",
  "fence",
  "code_block",
  "hr",
  "table_open",
  "paragraph_open",
]);
