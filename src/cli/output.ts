import { systemErrorCode } from "../errors.ts";

/** The two channels of the command: notes for the person on stderr, the one result for the caller on stdout. */
export interface Output {
  /** A line for the person. Terminal control characters in it are made harmless. */
  note(text: string): void;
  /**
   * The one result. Resolves to true when it has been handed to the reader whole, however slowly it reads, and to
   * false when the reader has gone.
   */
  result(text: string): Promise<boolean>;
  /** Whether the result could not be written, on a full disk for one. A reader that has gone did not want it. */
  readonly lostResult: boolean;
  /** Whether a person reads stderr in a terminal. */
  readonly interactive: boolean;
}

/** The channels of this process, or of the streams given. A stream that breaks ends nothing. */
export function createOutput(
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): Output {
  let written = false;
  let lost = false;
  // Whoever started the command may have closed it: a note that nobody reads ends neither a review nor the proxy.
  stderr.on("error", () => {});
  // Help that goes to `head` is not read to its end; whether a result was, `result` says.
  stdout.on("error", () => {});
  const note = (text: string) => {
    stderr.write(`${withoutControls(text)}\n`);
  };
  const reportLost = (error: Error) => {
    if (systemErrorCode(error) === "EPIPE") return;
    lost = true;
    note(`sallyport: The result could not be written: ${error.message}`);
  };
  return {
    interactive: stderr.isTTY === true,
    get lostResult() {
      return lost;
    },
    note,
    result(text) {
      if (written) throw new Error("stdout carries exactly one result");
      written = true;
      const whole = text.endsWith("\n") ? text : `${text}\n`;
      // A program gets every byte; a terminal would act on those that the reviewed code has in it.
      const line = stdout.isTTY === true ? withoutControls(whole) : whole;
      return new Promise((resolve) => {
        // A reader that has gone (EPIPE) has no use for the result; it stays on record for `review last`.
        stdout.once("error", () => resolve(false));
        stdout.write(line, (error) => {
          if (error) reportLost(error);
          resolve(!error);
        });
      });
    },
  };
}

/**
 * Shows C0 and C1 controls as escapes, and what changes the direction of text, so that a plan, a branch name or quoted
 * code cannot drive the terminal or put on another face there.
 */
export function withoutControls(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => {
      const code = character.charCodeAt(0).toString(16);
      return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
    },
  );
}
