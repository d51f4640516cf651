import { CommanderError } from "commander";
import { AppError, getErrorMessage, stackFrames, systemErrorCode } from "../errors.ts";
import { createOutput, noteError, type Output } from "./output.ts";
import { createProgram } from "./program.ts";

/**
 * Runs one command line (without node and script) and resolves to its exit code. Prints an error that the command
 * throws, and converts it to an exit code. Nothing calls `process.exit`, so that output to stdout is written completely
 * even if the reader is slow.
 */
export async function run(args: readonly string[], output: Output = createOutput()): Promise<number> {
  let exitCode = 0;
  const startedAt = performance.now();
  const program = createProgram(output, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    output.note(`Done in ${Math.round(performance.now() - startedAt)} ms.`, "detail");
    return exitCode === 0 && output.lostResult ? 1 : exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return getExitCode(error, args);
    return explain(isFolderDeleted(error) ? folderDeleted(error) : error, output);
  }
}

/**
 * Maps commander's errors to exit codes. Commander has printed its own message; help and version are thrown with code
 * 0.
 */
function getExitCode({ exitCode }: CommanderError, args: readonly string[]): number {
  if (exitCode === 0) return 0;
  // Hooks pass this flag, and a hook of another version may pass flags that are unknown here. Agents would interpret
  // exit code 2 as a denial by the person.
  return args.some((arg) => arg.startsWith("--caller-waits")) ? 1 : 2;
}

/** Returns whether an error means that the working directory was deleted: `process.cwd()` then throws. */
function isFolderDeleted(error: unknown): boolean {
  return systemErrorCode(error) === "ENOENT" && getErrorMessage(error).includes("uv_cwd");
}

function folderDeleted(cause: unknown): AppError {
  const hint = "Change to a folder that exists, then run the command again.";
  return new AppError("usage", "The working directory was deleted", { cause, hint });
}

function explain(error: unknown, output: Output): number {
  if (error instanceof AppError) {
    noteError(output, error);
    if (output.verbosity === "debug") noteStack(error, output);
    return error.exitCode;
  }
  output.note(`sallyport: internal error: ${getErrorMessage(error)} [internal]`);
  noteStack(error, output);
  return 1;
}

/** Prints the stack of an error and, with `--debug`, those of its causes. */
function noteStack(error: unknown, output: Output): void {
  if (!(error instanceof Error)) return;
  for (const frame of stackFrames(error)) output.note(frame, "essential");
  if (output.verbosity !== "debug" || error.cause === undefined) return;
  output.note(`caused by: ${getErrorMessage(error.cause)}`, "essential");
  noteStack(error.cause, output);
}
