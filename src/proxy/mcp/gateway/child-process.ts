import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { McpProgram } from "../../../config/proxy/mcp-config.ts";
import { AppError } from "../../../errors.ts";
import { settledWithin } from "./wait.ts";

/** Milliseconds in which a program must end after its input has been closed, and after SIGTERM. */
const CLOSE_MS = 700;
const TERM_MS = 1_000;

/** Starts a program. Rejects if the program is missing or cannot be run. */
export async function spawnProgram({
  command,
  args,
  env,
  cwd,
  path,
}: McpProgram): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(await findProgram(command, path), [...args], {
    env: { ...env },
    cwd,
    stdio: "pipe",
    windowsHide: true,
    // Starts a separate process group, so that signals also reach the processes that the program starts.
    detached: process.platform !== "win32",
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  return child;
}

/** Returns the path of a program. Searches `path`, because the program's own environment may have no PATH. */
async function findProgram(command: string, path: string | undefined): Promise<string> {
  if (isAbsolute(command) || /[/\\]/.test(command) || process.platform === "win32") return command;
  for (const folder of (path ?? "").split(delimiter)) {
    const candidate = join(folder, command);
    const isFound = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && isFound) return candidate;
  }
  throw new AppError("configuration", `the program ${command} is not on the PATH`);
}

/**
 * Ends a program: by closing its input, then by SIGTERM, then by SIGKILL. On Windows, signals do not reach the
 * processes that the program has started.
 */
export async function endProgram(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.stdin.end();
  for (const [ms, signal] of [
    [CLOSE_MS, "SIGTERM"],
    [TERM_MS, "SIGKILL"],
  ] as const) {
    await settledWithin(ended, ms);
    if (hasEnded(child)) return;
    signalGroup(child, signal);
  }
  await settledWithin(ended, TERM_MS);
}

/** Kills a program immediately and, except on Windows, the processes that it has started. */
export function killProgram(child: ChildProcessWithoutNullStreams): void {
  signalGroup(child, "SIGKILL");
}

/** Returns whether a program has ended. */
export function hasEnded({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null;
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-pid, signal);
  } catch {
    // The process has ended.
  }
}
