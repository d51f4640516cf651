/**
 * What an agent needs written, as pure text → text functions. Reading and writing is the business of
 * `changes.ts` and `write-changes.ts`.
 */

/** One file of an agent and what is ours in it. `undefined` stands for a file that is not there. */
export interface FileEdit {
  readonly path: string;
  /** In a few words, for the table and the diff: "hook on ExitPlanMode". */
  readonly purpose: string;
  /**
   * Returns the text with our part in it; the same text when it is there already. `earlier` is what an earlier
   * installation wrote. Throws `configuration` if it cannot be put in.
   */
  install(text: string | undefined, earlier?: Earlier): string;
  /** The text without our part, or undefined when nothing but ours was in the file. */
  uninstall(text: string | undefined, earlier?: Earlier): string | undefined;
}

/** What is known of a file from the time of the installation, when it has been changed since. */
export interface Earlier {
  readonly original: string | undefined;
  readonly written: string;
}
