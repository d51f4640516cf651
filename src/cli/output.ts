/** The two channels of the command: notes for the person on stderr, the one result for the caller on stdout. */
export interface Output {
  /** A line for the person. Terminal control characters in it are made harmless. */
  note(text: string): void;
  /**
   * The one result. Resolves to true when it has been handed to the reader whole, however slowly it reads, and to
   * false when the reader has gone.
   */
  result(text: string): Promise<boolean>;
  /** Whether a person reads stderr in a terminal. */
  readonly interactive: boolean;
}

export function createOutput(
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): Output {
  let written = false;
  return {
    interactive: stderr.isTTY === true,
    note(text) {
      stderr.write(`${withoutControls(text)}\n`);
    },
    result(text) {
      if (written) throw new Error("stdout carries exactly one result");
      written = true;
      const line = text.endsWith("\n") ? text : `${text}\n`;
      return new Promise((resolve) => {
        // A reader that has gone (EPIPE) has no use for the result; it stays on record for `review last`.
        stdout.once("error", () => resolve(false));
        stdout.write(line, (error) => resolve(!error));
      });
    },
  };
}

/** Shows C0 and C1 controls as escapes, so that a plan or a branch name cannot drive the terminal. */
export function withoutControls(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
