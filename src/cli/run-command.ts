import { execFile } from "node:child_process";
import { getErrorMessage } from "../errors.ts";

/** The result of another program. */
export interface CommandResult {
  /** The exit code; 124 after the timeout; undefined if the program could not be started or was killed by a signal. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs another program. Never rejects. */
export type RunCommand = (program: string, args: readonly string[]) => Promise<CommandResult>;

const COMMAND_MS = 300_000;

/** Programs that are .cmd files on Windows, which only a shell can run. */
const SCRIPTS = new Set(["npm"]);

/** Runs a program on this machine, for at most 5 minutes. */
export const runCommand: RunCommand = (program, args) =>
  new Promise((resolve) => {
    const shell = process.platform === "win32" && SCRIPTS.has(program);
    try {
      execFile(program, args, { timeout: COMMAND_MS, windowsHide: true, shell }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : undefined;
        resolve({ code: error?.killed ? 124 : code, stdout, stderr });
      });
    } catch (error) {
      // Some arguments and some errors of the system make execFile throw instead of calling back.
      resolve({ code: undefined, stdout: "", stderr: getErrorMessage(error) });
    }
  });
