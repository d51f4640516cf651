import { longestBackticks } from "../../shared/markdown/backticks.ts";

/** A code block that its content cannot break out of: its fence is longer than any run of backticks within. */
export function fenced(content: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestBackticks(content) + 1));
  return `${fence}${language}\n${content}${content.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Text as a Markdown quote. */
export function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}
