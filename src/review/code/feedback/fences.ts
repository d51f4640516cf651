import { longestBackticks } from "../../../../web/shared/markdown/backticks.ts";

/**
 * A fenced block that nothing inside can end: its fence is longer than any run of backticks in the text, and than
 * the usual three, so that it stands out from fences within the quoted code or the person's own Markdown.
 */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(4, longestBackticks(text) + 1));
  const body = text.endsWith("\n") || text === "" ? text : `${text}\n`;
  return `${fence}${language}\n${body}${fence}`;
}

/** Text as inline code, whatever backticks it holds. Line breaks would end it and are shown as spaces. */
export function codeSpan(text: string): string {
  const run = longestBackticks(text);
  const tick = "`".repeat(run + 1);
  const flat = text.replace(/[\r\n]+/g, " ");
  return run > 0 ? `${tick} ${flat} ${tick}` : `${tick}${flat}${tick}`;
}
