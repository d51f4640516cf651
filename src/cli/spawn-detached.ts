import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { isSea } from "node:sea";
import { processEnvironment } from "../config/paths.ts";
import { AppError } from "../errors.ts";

/** A background process that ended before it was ready. */
export interface DetachFailure {
  readonly exitCode: number;
  /** The text that the process wrote to stderr. */
  readonly report: string;
}

/**
 * Variables of processes that serve for hours. With one arena of glibc's allocator, the proxy takes 14 MB less memory
 * after 60,000 calls and no more CPU time (bench/proxy/memory.mjs --background). The allocator reads the variable only
 * when a process starts, so `proxy start` in a terminal cannot set it for itself.
 */
export const ALLOCATOR_VARIABLES = { MALLOC_ARENA_MAX: "1" } as const;

interface DetachOptions {
  readonly folder: string;
  /** A file descriptor, or a function that receives the text until the process is ready. */
  readonly stderr: number | ((text: string) => void);
}

/**
 * Starts this program in the background, in its own session, so that neither a closed terminal nor the end of
 * this process ends it. Resolves to the process's first message, which it sends when it is ready, or to its
 * exit code if it ends earlier.
 */
export function spawnDetached(
  args: readonly string[],
  { folder, stderr }: DetachOptions,
): Promise<{ readonly pid: number | undefined; readonly message: unknown } | { readonly exitCode: number }> {
  const child = spawnSelf(args, {
    cwd: folder,
    stdio: ["ignore", "ignore", typeof stderr === "number" ? stderr : "pipe", "ipc"],
  });
  if (typeof stderr === "function") child.stderr?.setEncoding("utf8").on("data", stderr);
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => {
      reject(new AppError("internal", `Cannot start the background process: ${cause.message}`, { cause }));
    });
    child.once("close", (code) => resolve({ exitCode: code ?? 1 }));
    child.once("message", (message) => {
      child.removeAllListeners("close");
      child.stderr?.destroy();
      if (child.connected) child.disconnect();
      child.unref();
      resolve({ pid: child.pid, message });
    });
  });
}

/** Starts this program again with other arguments, in its own session. */
export function spawnSelf(args: readonly string[], options: SpawnOptions): ChildProcess {
  // A single executable has no script to pass.
  const script = isSea() ? [] : process.argv.slice(1, 2);
  return spawn(process.execPath, [...process.execArgv, ...script, ...args], {
    detached: true,
    windowsHide: true,
    ...options,
    env: { ...ALLOCATOR_VARIABLES, ...(options.env ?? processEnvironment) },
  });
}
