/**
 * The edits that an agent needs, as pure functions from text to text. `changes.ts` and `write-changes.ts` read and
 * write the files.
 */

/** An edit of one of an agent's files. `undefined` stands for a file that does not exist. */
export interface FileEdit {
  readonly path: string;
  /** A short description for the diff: "review every plan before it is carried out". */
  readonly purpose: string;
  /**
   * Returns the text with Sallyport's part, or the text unchanged if it already contains the part. `earlier` has the
   * text before and after an earlier installation. Throws `configuration` if the part cannot be added.
   */
  install(text: string | undefined, earlier?: Earlier): string;
  /** Returns the text without Sallyport's part, or undefined if the file contained no other text. */
  uninstall(text: string | undefined, earlier?: Earlier): string | undefined;
}

/**
 * A file's text before and after an earlier installation. If the file has not changed since, an uninstallation writes
 * `original` and does not call `uninstall`.
 */
export interface Earlier {
  readonly original: string | undefined;
  readonly written: string;
}
