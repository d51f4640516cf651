import { simpleGit } from "simple-git";
import { AppError } from "../../errors.ts";
import type { ScopedSettings } from "./hardening.ts";

/** Where and as what git runs. */
export interface GitPlace {
  readonly binary: string;
  readonly directory: string;
  /** All of git's environment; nothing is inherited beside it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends whatever git is doing when nobody waits for it any more. */
  readonly signal?: AbortSignal;
  /** Milliseconds that one call may take. */
  readonly limit?: number;
  /** What the configuration says, and who says it. */
  readonly settings?: ScopedSettings;
  /** Absolute path of `setpriv`, where it is there: it makes git end with this process, even one that is killed. */
  readonly setpriv?: string;
}

/** Milliseconds that a call may take where nothing else is said. */
export const CALL_LIMIT_MS = 60_000;

export interface GitOptions {
  /** Written to git's standard input. */
  readonly input?: string | Buffer;
  /** Takes standard output piece by piece; git waits for it, and the result's `stdout` stays empty. */
  readonly take?: (chunk: Buffer) => void | Promise<void>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * simple-git's guard goes by the names of settings: it refuses `core.fsmonitor=false` as it would a program. These
 * are the names under which `hardening.ts` turns things off; no argument or setting of a user's ever gets here.
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
 * Runs git and resolves to its exit code and output, whatever the code is. The one place that starts git. Throws
 * `git_timeout` when git has not finished within the limit; git is ended then.
 */
export async function tryGit(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const environment = { ...place.environment, ...options.environment };
  const collected: Buffer[] = [];
  const take = options.take ?? ((chunk: Buffer) => void collected.push(chunk));
  let consumed: Promise<void> = Promise.resolve();
  let ended = { exitCode: -1, stderr: "" };
  const { binary, setpriv, limit = CALL_LIMIT_MS } = place;
  const deadline = AbortSignal.timeout(limit);
  const stop = AbortSignal.any([deadline, ...(place.signal ? [place.signal] : [])]);
  const git = simpleGit({
    baseDir: place.directory,
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
    .outputHandler((_command, stdout) => {
      // simple-git keeps all output as text, which costs twice the memory and every byte that is not UTF-8.
      stdout.removeAllListeners("data");
      consumed = consume(stdout, take);
      consumed.catch(() => {});
    });
  const command = [...(setpriv === undefined ? [] : [binary]), "--no-pager", ...args];
  try {
    // Git that waits for a file system cannot be ended; nobody shall wait with it.
    await Promise.race([git.raw(command).then(() => consumed), aborted(stop)]);
  } catch (error) {
    throw deadline.aborted && !place.signal?.aborted ? tooLong(args, limit) : error;
  }
  return { ...ended, stdout: Buffer.concat(collected) };
}

/** Rejects when the signal is aborted, and never resolves. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function tooLong(args: readonly string[], limit: number): AppError {
  return new AppError(
    "git_timeout",
    `git ${args[0]} did not finish within ${limit / 1_000} s: a file it reads may be a pipe or on a file system that does not answer`,
    { hint: "Run git status there. If it is only slow, set SERVICE_GIT_TIMEOUT to more seconds." },
  );
}

/** Runs git and resolves to its output; throws `git_failed` with git's own words when it does not succeed. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const result = await tryGit(place, args, options);
  if (result.exitCode !== 0) throw gitFailed(args, result);
  return result.stdout;
}

/** The `git_failed` error of a run, with git's own first line. */
export function gitFailed(args: readonly string[], { exitCode, stderr }: GitResult): AppError {
  const reason = stderr.trim().split("\n")[0] || `exit code ${exitCode}`;
  return new AppError("git_failed", `git ${args[0]} failed: ${reason}`, {
    hint: "Run git status there to see whether the repository is sound.",
  });
}

async function consume(
  stdout: NodeJS.ReadableStream,
  take: (chunk: Buffer) => void | Promise<void>,
): Promise<void> {
  for await (const chunk of stdout) await take(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk));
}
