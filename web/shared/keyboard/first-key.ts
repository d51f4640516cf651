/** The command that the first letter of typed text stands for. */
export interface FirstKey {
  readonly type: "comment" | "concern";
  /** The text without that letter. */
  readonly text: string;
}

/**
 * Returns the command at the start of typed text. Typing on a selection starts a comment with the typed letter, even
 * with `c` and `!`, which are commands elsewhere. Text such as "cWhy not?" or "!What if" cannot be a sentence with
 * that letter; other text returns undefined.
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

/** Milliseconds after which a single letter is treated as a command. */
export const LONE_COMMAND_MS = 1_200;

/**
 * Returns whether typed text is only the letter of a command. A sentence continues; a command is followed by a pause.
 */
export function mayBeCommand(text: string): boolean {
  return /^[cridl!]$/.test(text);
}
