/**
 * Formats text as a fenced code block. The fence is longer than any run of backticks in the text, so that the text
 * cannot close it, and has at least `min` backticks. The closing fence is on a line by itself.
 */
export function fenced(text: string, language = "", min = 3): string {
  const fence = "`".repeat(Math.max(min, longestBackticks(text) + 1));
  return `${fence}${language}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Formats text as inline code, even if it contains backticks. Line breaks become spaces. */
export function codeSpan(text: string): string {
  const longest = longestBackticks(text);
  const tick = "`".repeat(longest + 1);
  const line = text.replace(/[\r\n]+/g, " ");
  return longest > 0 ? `${tick} ${line} ${tick}` : `${tick}${line}${tick}`;
}

function longestBackticks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
