import { simpleGit } from "simple-git";
import { AppError } from "../../errors.ts";
import type { ScopedSettings } from "./hardening.ts";

/** The git program and the directory, environment and limits it runs with. */
export interface GitHandle {
  readonly binary: string;
  readonly directory: string;
  /** The complete environment of git; git inherits no other variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends git when its result is no longer needed. */
  readonly signal?: AbortSignal;
  /** Maximum duration of one call in milliseconds. */
  readonly limit?: number;
  /** The environment variable that raises the limit; undefined if none does. */
  readonly limitVariable?: string | undefined;
  /** The configuration by scope. */
  readonly settings?: ScopedSettings;
  /**
   * Absolute path of `setpriv`, if installed. With it, git ends when this process ends, even if this process is killed.
   */
  readonly setpriv?: string;
}

/** Default time limit of a call in milliseconds. */
export const CALL_LIMIT_MS = 60_000;

export interface GitOptions {
  /** Written to git's standard input. */
  readonly input?: string | Buffer;
  /** Receives standard output in pieces, with backpressure; `stdout` of the result stays empty. */
  readonly take?: (chunk: Buffer) => void | Promise<void>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Disables simple-git's guard, which judges settings by name and rejects `core.fsmonitor=false` as if it
 * named a program. `hardening.ts` sets these settings only so that git runs no program that the repository names.
 */
const unsafe = {
  allowUnsafeAlias: true,
  allowUnsafeAskPass: true,
  allowUnsafeCommandBinaries: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeCredentialHelper: true,
  allowUnsafeCustomBinary: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeDiffTextConv: true,
  allowUnsafeEditor: true,
  allowUnsafeExec: true,
  allowUnsafeFilter: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGitProxy: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafeMergeDriver: true,
  allowUnsafePack: true,
  allowUnsafePager: true,
  allowUnsafeSshCommand: true,
  allowUnsafeSubmodule: true,
  allowUnsafeTemplateDir: true,
};

/**
 * Runs git and returns its exit code and output, also if the code is not 0. All git calls that read a repository go
 * through this function. Throws `git_timeout`, and ends git, if it does not finish within the limit.
 */
export async function tryGit(
  handle: GitHandle,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const environment = { ...handle.environment, ...options.environment };
  const collected: Buffer[] = [];
  const take = options.take ?? ((chunk: Buffer) => void collected.push(chunk));
  let consumed: Promise<void> = Promise.resolve();
  let ended = { exitCode: -1, stderr: "" };
  const { binary, setpriv, limit = CALL_LIMIT_MS } = handle;
  const deadline = AbortSignal.timeout(limit);
  const stop = AbortSignal.any([deadline, ...(handle.signal ? [handle.signal] : [])]);
  const git = simpleGit({
    baseDir: handle.directory,
    binary: setpriv === undefined ? binary : [setpriv, "--pdeathsig=KILL"],
    completion: { onClose: true, onExit: false },
    allowEnvironment: Object.keys(environment),
    unsafe,
    errors: (_error, { exitCode, stdErr }) => {
      ended = { exitCode, stderr: Buffer.concat(stdErr).toString() };
      return undefined;
    },
    abort: stop,
    ...(options.input === undefined ? {} : { input: () => options.input }),
  })
    .env(environment)
    .outputHandler((_command, stdout, stderr) => {
      // simple-git waits another 50 ms after a command without output, unless it has seen a "data" event.
      stdout.once("end", () => stderr.emit("data", Buffer.alloc(0)));
      // simple-git decodes all output as text, which doubles the memory and corrupts bytes that are not UTF-8.
      stdout.removeAllListeners("data");
      consumed = consume(stdout, take);
      consumed.catch(() => {});
    });
  const command = [...(setpriv === undefined ? [] : [binary]), "--no-pager", ...args];
  try {
    // A git process that waits for a file system cannot be ended, so do not wait for its exit.
    await Promise.race([git.raw(command).then(() => consumed), aborted(stop)]);
  } catch (error) {
    throw deadline.aborted && !handle.signal?.aborted ? tooLong(args, limit, handle.limitVariable) : error;
  }
  return { ...ended, stdout: Buffer.concat(collected) };
}

/** Returns a promise that rejects when the signal is aborted and never resolves. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function tooLong(args: readonly string[], limit: number, variable: string | undefined): AppError {
  const advice = variable === undefined ? "" : ` If git is only slow, set ${variable} to more seconds.`;
  return new AppError(
    "git_timeout",
    `git ${args[0]} did not finish within ${limit / 1_000} s: a file may be a pipe, or on a file system that does not respond`,
    { hint: `Run git status in the repository.${advice}` },
  );
}

/** Runs git and returns its output. Throws `git_failed` with git's error message if the exit code is not 0. */
export async function runGit(
  handle: GitHandle,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const result = await tryGit(handle, args, options);
  if (result.exitCode !== 0) throw gitFailed(args, result);
  return result.stdout;
}

/** Returns the `git_failed` error of a call, with the first line of git's error output. */
export function gitFailed(args: readonly string[], { exitCode, stderr }: GitResult): AppError {
  const reason = stderr.trim().split("\n")[0] || `exit code ${exitCode}`;
  return new AppError("git_failed", `git ${args[0]} failed: ${reason}`, {
    hint: "Run git status in the repository to check it.",
  });
}

async function consume(
  stdout: NodeJS.ReadableStream,
  take: (chunk: Buffer) => void | Promise<void>,
): Promise<void> {
  for await (const chunk of stdout) await take(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk));
}
