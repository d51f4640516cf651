import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { AppError } from "../../../errors.ts";

/** Returns the path of a program, searched as a shell does, since the program's own environment may have no PATH. */
export async function findProgram(command: string, path: string | undefined): Promise<string> {
  if (isAbsolute(command) || /[/\\]/.test(command) || process.platform === "win32") return command;
  for (const folder of (path ?? "").split(delimiter)) {
    const candidate = join(folder, command);
    const isFound = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && isFound) return candidate;
  }
  throw new AppError("configuration", `there is no program ${command} on the PATH`);
}

/** Returns whether a process has ended. */
export function hasEnded({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Signals a program and what it has started. */
export function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** Resolves when the promise does, or after `ms`. */
export function within(promise: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
