import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { InstallTarget } from "./agent.ts";

/** The way in which this process was started. */
export interface Started {
  /** The path of node or of the single executable. */
  readonly program: string;
  /** The script that node runs; absent for the single executable, whose `argv[1]` is not a path. */
  readonly script?: string;
  /** The value of `PATH`. */
  readonly searchPath: string;
}

/**
 * Returns the command that runs this installation from any folder: `sallyport` if the PATH leads to it (so
 * that the command survives an update of node), or full paths otherwise.
 */
export async function ownCommand({ program, script, searchPath }: Started): Promise<readonly string[]> {
  const own = await resolved(script ?? program);
  // If another installation is first on the PATH, it would run instead.
  if ((await firstOnPath(searchPath)) === own) return ["sallyport"];
  return script === undefined ? [own] : [program, own];
}

/**
 * Resolves links. Returns the path unchanged if the file is missing, for example after an uninstall while this
 * process runs.
 */
function resolved(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Returns the file that later shells run for `sallyport`, with links resolved. */
async function firstOnPath(searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter).filter(isLasting)) {
    const path = join(folder, "sallyport");
    if (await isCommand(path)) return resolved(path);
  }
  return undefined;
}

/**
 * Reports whether later processes can use a folder of the PATH. `npx` and `npm run` prepend `node_modules/.bin` for a
 * single command, and a relative folder depends on the working directory.
 */
function isLasting(folder: string): boolean {
  return isAbsolute(folder) && !/[/\\]node_modules[/\\]\.bin[/\\]*$/.test(folder);
}

async function isCommand(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Quotes and joins arguments for a shell (sh; cmd.exe on Windows). */
export function shellLine(args: readonly string[], platform: NodeJS.Platform = process.platform): string {
  return args.map((arg) => quoted(arg, platform)).join(" ");
}

/** Returns the command line that repeats a command with its flags and without a question (`--yes`). */
export function unattendedLine(
  command: readonly string[],
  flags: Readonly<Record<string, string | boolean | undefined>>,
): string {
  const args = Object.entries(flags).flatMap(([name, value]) => {
    if (typeof value === "string") return [name, value];
    return value ? [name] : [];
  });
  return shellLine([...command, ...args, "--yes"]);
}

/** Seconds that an agent waits for a Sallyport hook: four days, because a decision can take that long. */
export const HOOK_TIMEOUT_SECONDS = 345_600;

/**
 * Returns the command line of a plan hook. Agents run it in a shell, which `exec` replaces with Sallyport (except on
 * Windows): a remaining shell would hide from Sallyport that the agent has ended. `--caller-waits` passes the agent's
 * timeout to the page. A live hook opens a review that stays open for the next round.
 */
export function planHook(
  { command, live }: Pick<InstallTarget, "command" | "live">,
  platform: NodeJS.Platform = process.platform,
): string {
  const exec = platform === "win32" ? "" : "exec ";
  return `${exec}${command} review plan ${live ? "--live " : ""}--caller-waits ${HOOK_TIMEOUT_SECONDS}`;
}

/** Returns the command line with stderr discarded. */
export function withoutStderr(line: string, platform: NodeJS.Platform = process.platform): string {
  return `${line} 2>${platform === "win32" ? "NUL" : "/dev/null"}`;
}

/**
 * Reports whether the command is in a folder that a package manager created for one run and may delete: the cache of
 * npx (`_npx`), of `pnpm dlx` and `yarn dlx` (`dlx`, `dlx-PID`), or of bunx (`bunx-UID-PACKAGE`).
 */
export function isTemporary(args: readonly string[]): boolean {
  return args.some((arg) => /[/\\](?:_npx|dlx|dlx-\d+|bunx-\d+-[^/\\]*)[/\\]/.test(arg));
}

function quoted(arg: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(arg)) return arg;
  if (platform === "win32") return `"${arg}"`;
  return `'${arg.replaceAll("'", "'\\''")}'`;
}
