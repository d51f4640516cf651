import { processEnvironment } from "../config/paths.ts";
import { type AppError, systemErrorCode } from "../errors.ts";
import { addColor, isColorWanted, type TextKind } from "./colors.ts";

/**
 * The notes that are printed. `quiet` (`--quiet`): only errors, warnings, diffs, questions and text that the caller
 * needs to continue. `verbose` (`--verbose`): also details. `debug` (`--debug`): details, and the causes and stacks of
 * errors.
 */
export type Verbosity = "quiet" | "normal" | "verbose" | "debug";

/** The kind of a note. `--quiet` hides notes without a kind. `detail` is shown only with `--verbose` or `--debug`. */
export type NoteKind = TextKind | "essential" | "detail";

/** The two output channels of a command: notes for the person on stderr, one result for the caller on stdout. */
export interface Output {
  /** Writes a line to stderr, with terminal control characters escaped. Errors and warnings are always printed. */
  note(text: string, kind?: NoteKind): void;
  /**
   * Writes the result to stdout. Resolves to true once the whole result is written, and to false if the write fails,
   * for example because the reader closed the pipe. Throws if called twice.
   */
  result(text: string, kind?: TextKind): Promise<boolean>;
  /**
   * Whether the result could not be written, for example because the disk is full. False for a pipe that the reader
   * closed.
   */
  readonly lostResult: boolean;
  /** Whether stderr is a terminal. */
  readonly interactive: boolean;
  /** The notes that are printed, by default `normal`. Set when the flags have been parsed. */
  verbosity?: Verbosity;
}

/** Prints an error with its code and hint. `title` names the step that failed, if there are several. */
export function noteError(output: Output, { message, code, hint }: AppError, title?: string): void {
  output.note(`sallyport: ${title === undefined ? "" : `${title}: `}${message} [${code}]`);
  if (hint) output.note(hint, "essential");
}

/**
 * Creates the output channels of this process, or of the given streams. Write errors on either stream are not fatal.
 */
export function createOutput(
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): Output {
  let written = false;
  let lost = false;
  // The parent process may have closed stderr. The write error must not end a review or the proxy.
  stderr.on("error", () => {});
  // `head` closes the pipe before the whole help text is written. `result` reports its own write errors.
  stdout.on("error", () => {});
  const note = (text: string, kind: NoteKind | undefined = getKind(text)) => {
    if (!isShown(kind, output.verbosity)) return;
    const plain = withoutControls(text);
    const isColored = isTextKind(kind) && isColorWanted(stderr, processEnvironment);
    stderr.write(`${isColored ? addColor(plain, kind) : plain}\n`);
  };
  const reportLost = (error: Error) => {
    if (systemErrorCode(error) === "EPIPE") return;
    lost = true;
    note(`sallyport: Cannot write the result: ${error.message}`);
  };
  const output: Output = {
    verbosity: "normal",
    interactive: stderr.isTTY === true,
    get lostResult() {
      return lost;
    },
    note,
    result(text, kind) {
      if (written) throw new Error("stdout carries exactly one result");
      written = true;
      const whole = text.endsWith("\n") ? text : `${text}\n`;
      // A program receives every byte. A terminal would interpret control characters in quoted code.
      const plain = stdout.isTTY === true ? withoutControls(whole) : whole;
      const line = kind && isColorWanted(stdout, processEnvironment) ? addColor(plain, kind) : plain;
      return new Promise((resolve) => {
        stdout.once("error", () => resolve(false));
        stdout.write(line, (error) => {
          if (error) reportLost(error);
          resolve(!error);
        });
      });
    },
  };
  return output;
}

function getKind(text: string): NoteKind | undefined {
  if (text.startsWith("sallyport")) return "error";
  return /^(?:warning|cannot)\b/i.test(text) ? "essential" : undefined;
}

function isTextKind(kind: NoteKind | undefined): kind is TextKind {
  return kind === "error" || kind === "diff" || kind === "report";
}

function isShown(kind: NoteKind | undefined, verbosity: Verbosity = "normal"): boolean {
  if (kind === "detail") return verbosity === "verbose" || verbosity === "debug";
  return kind !== undefined || verbosity !== "quiet";
}

/**
 * Escapes control characters other than tabs and newlines, and bidirectional formatting characters, so that a plan, a
 * branch name or quoted code cannot control the terminal or misrepresent its text.
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
