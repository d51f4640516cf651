import { fenced } from "../render/markdown/fences.ts";

/** Maximum lines quoted for one comment; an agent can read the rest in the file. */
const MAX_LINES = 60;
/** Backticks of a fence: one more than usual, to differ from fences in quoted code and Markdown. */
const FENCE = 4;

/** Formats the code that a comment refers to as a Markdown block of at most `MAX_LINES` lines of code. */
export function codeBlock(code: string, language: string): string {
  const lines = code.split("\n");
  const more = lines.length - MAX_LINES;
  const shown =
    more <= 0
      ? code
      : `${lines.slice(0, MAX_LINES).join("\n")}\n… ${more} more ${more === 1 ? "line" : "lines"}`;
  return fenced(shown, language, FENCE);
}

/** Returns the Markdown blocks of a suggested change; an empty one removes the lines. */
export function suggestionBlocks(code: string, language: string): string[] {
  if (code === "") return ["Remove these lines."];
  return ["Replace these lines with:", fenced(code, language, FENCE)];
}

/** Returns the file extension as the language of a fence, or an empty string. */
export function getFenceLanguage(path: string): string {
  return /\.([a-z0-9]{1,12})$/i.exec(path)?.[1]?.toLowerCase() ?? "";
}
