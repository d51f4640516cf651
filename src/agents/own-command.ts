import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** How this process was started, as far as others need it to start us again. */
export interface Started {
  /** Node, or the single executable. */
  readonly program: string;
  /** The script node was given; absent for the single executable, whose `argv[1]` is not a path. */
  readonly script?: string;
  /** The PATH. */
  readonly searchPath: string;
}

/**
 * Returns the words that run this very installation from anywhere: `sallyport` where the PATH leads to it (so that the
 * command survives an update of node), else full paths.
 */
export async function ownCommand({ program, script, searchPath }: Started): Promise<readonly string[]> {
  const own = await resolved(script ?? program);
  // Another installation that comes first on the PATH would run instead of this one.
  if ((await firstOnPath(searchPath)) === own) return ["sallyport"];
  return script === undefined ? [own] : [program, own];
}

/** Resolves links; returns the path as it is where the file is gone, as after an uninstall while this process runs. */
function resolved(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Returns the file that a shell runs for `sallyport`, links resolved. */
async function firstOnPath(searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter).filter(isLasting)) {
    const path = join(folder, "sallyport");
    if (await isCommand(path)) return resolved(path);
  }
  return undefined;
}

/**
 * Tells whether a folder of the PATH is there for later processes too: `npx` and `npm run` put `node_modules/.bin` in front for one
 * command, and a relative folder depends on the working directory.
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

/** The words as one line for the shell that agents run hooks with (sh; cmd.exe on Windows). */
export function shellLine(words: readonly string[], platform: NodeJS.Platform = process.platform): string {
  return words.map((word) => quoted(word, platform)).join(" ");
}

/** How long an agent waits for a hook of ours: four days, for a person may sleep over a plan. */
export const HOOK_TIMEOUT_SECONDS = 345_600;

/**
 * The line of a hook on plans. Agents run it by way of a shell, which `exec` makes give way to us: a shell that stayed
 * in between would hide from us that the agent is gone. The page is told how long the agent waits.
 */
export function planHook(command: string, platform: NodeJS.Platform = process.platform): string {
  return `${platform === "win32" ? "" : "exec "}${command} review plan --caller-waits ${HOOK_TIMEOUT_SECONDS}`;
}

/** The same line with its stderr thrown away. */
export function silenced(line: string, platform: NodeJS.Platform = process.platform): string {
  return `${line} 2>${platform === "win32" ? "NUL" : "/dev/null"}`;
}

/**
 * Tells whether the command lies in a folder that a package manager made for one run and deletes later: npx's cache
 * (`_npx`), that of `pnpm dlx` and `yarn dlx` (`dlx`, `dlx-PID`), bunx's (`bunx-UID-PACKAGE`).
 */
export function isTemporary(words: readonly string[]): boolean {
  return words.some((word) => /[/\\](?:_npx|dlx|dlx-\d+|bunx-\d+-[^/\\]*)[/\\]/.test(word));
}

function quoted(word: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (platform === "win32") return `"${word}"`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
