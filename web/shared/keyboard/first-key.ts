/** The command for which the first character of typed text stands. */
export interface FirstKey {
  readonly type: "comment" | "concern";
  /** The text without the first character. */
  readonly text: string;
}

/**
 * Returns the command at the start of typed text. Typing on a selection starts a comment with the typed
 * character, even if it is `c` or `!`, which are commands elsewhere. In "cWhy not?" or "!What if", the first
 * character must be a command, because it cannot begin the sentence. Returns undefined for other text.
 */
export function commandBefore(text: string): FirstKey | undefined {
  const [, key, rest] = /^([c!])(\p{Lu}[\p{Ll}\s'’].*)$/su.exec(text) ?? [];
  if (rest === undefined) return undefined;
  return { type: key === "c" ? "comment" : "concern", text: rest };
}

/** Returns whether typed text is only `c` or `!`, the commands that start a comment. */
export function isLoneCommand(text: string): boolean {
  return text === "c" || text === "!";
}

/** Milliseconds after which a single character is treated as a command. */
export const LONE_COMMAND_MS = 1_200;

/**
 * Returns whether typed text is only the character of a command. It is a command if a pause follows, and the
 * start of a sentence otherwise.
 */
export function mayBeCommand(text: string): boolean {
  return /^[cridl!]$/.test(text);
}
