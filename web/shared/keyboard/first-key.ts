/** What the first letter of a comment that was begun by typing turned out to be. */
export interface FirstKey {
  readonly type: "comment" | "concern";
  /** The text without that letter. */
  readonly text: string;
}

/**
 * Typing on a selection begins a comment with the letter typed, also with `c` and `!`, which are commands elsewhere.
 * Returns the command for text that cannot be a sentence with that letter ("cWhy not?", "!What if"), else undefined.
 */
export function commandBefore(text: string): FirstKey | undefined {
  const [, key, rest] = /^([c!])(\p{Lu}[\p{Ll}\s'’].*)$/su.exec(text) ?? [];
  if (rest === undefined) return undefined;
  return { type: key === "c" ? "comment" : "concern", text: rest };
}

/** Returns whether text begun by typing is the letter of a command and nothing else. */
export function isLoneCommand(text: string): boolean {
  return text === "c" || text === "!";
}

/** Milliseconds after which a letter on its own is taken for the command that it is elsewhere. */
export const LONE_COMMAND_MS = 1_200;

/**
 * Returns whether text begun by typing is the letter of a command and nothing else. A sentence goes on; a command is
 * followed by a pause.
 */
export function mayBeCommand(text: string): boolean {
  return /^[cridl!]$/.test(text);
}
