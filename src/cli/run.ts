import { CommanderError } from "commander";
import { AppError, messageOf, stackFrames, systemErrorCode } from "../errors.ts";
import { createOutput, type Output } from "./output.ts";
import { createProgram } from "./program.ts";

/**
 * Runs one command line (without node and script) to its exit code. The only place where an error becomes
 * an exit code; nothing calls `process.exit`, so that what was written to stdout drains however slow its reader.
 */
export async function run(args: readonly string[], output: Output = createOutput()): Promise<number> {
  let exitCode = 0;
  const program = createProgram(output, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode === 0 && output.lostResult ? 1 : exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOf(error, args);
    return explain(isFolderDeleted(error) ? folderDeleted(error) : error, output);
  }
}

/** Commander has printed its own message; help and version are thrown too, with code 0. */
function exitCodeOf({ exitCode }: CommanderError, args: readonly string[]): number {
  if (exitCode === 0) return 0;
  // A hook that another version wrote: agents would take 2 for a refusal, which nobody spoke.
  return args.some((arg) => arg.startsWith("--caller-waits")) ? 1 : 2;
}

/** Whether Node.js found no working directory: a process stays in one that was deleted. */
function isFolderDeleted(error: unknown): boolean {
  return systemErrorCode(error) === "ENOENT" && messageOf(error).includes("uv_cwd");
}

function folderDeleted(cause: unknown): AppError {
  const hint = "Change to a folder that exists, then run the command again.";
  return new AppError("usage", "The working directory was deleted", { cause, hint });
}

function explain(error: unknown, output: Output): number {
  if (error instanceof AppError) {
    output.note(`sallyport: ${error.message}`);
    if (error.hint) output.note(error.hint);
    return error.exitCode;
  }
  output.note(`sallyport: internal error: ${messageOf(error)}`);
  if (error instanceof Error) for (const frame of stackFrames(error)) output.note(frame);
  return 1;
}
