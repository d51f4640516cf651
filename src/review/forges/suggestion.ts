import type { ForgeName } from "./forge.ts";

/** Returns a fence that is longer than every run of backticks in a text. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  return "`".repeat(longest + 1);
}

/**
 * Returns suggested code in the form that a forge offers to apply. `linesAbove` is the number of lines that are replaced
 * besides the last one.
 */
export function suggestionBlock(forge: ForgeName, code: string, linesAbove: number): string {
  const fence = fenceFor(code);
  const info = forge === "gitlab" ? `suggestion:-${linesAbove}+0` : "suggestion";
  return code === "" ? `${fence}${info}\n${fence}` : `${fence}${info}\n${code}\n${fence}`;
}

/** Returns code as a block that no forge offers to apply. */
export function plainBlock(code: string): string {
  const fence = fenceFor(code);
  return `${fence}\n${code}\n${fence}`;
}
