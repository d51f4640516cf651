import { execFile } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { browserCommands } from "../../../config/browser-commands.ts";
import type { Finding } from "./finding.ts";

/** The oldest supported Node.js: `engines` in package.json. */
const OLDEST_NODE = [20, 19] as const;

/** Checks the version of Node.js. `version` has the form of process.version. */
export function nodeFinding(version: string): Finding {
  if (isAtLeast(version.replace(/^v/, ""), OLDEST_NODE))
    return { subject: "Node.js", state: "ok", detail: version };
  const remedy = `Install Node.js ${OLDEST_NODE.join(".")} or newer from nodejs.org.`;
  return { subject: "Node.js", state: "broken", detail: `${version} is too old`, remedy };
}

/** The oldest git that reads settings from the environment. Such settings keep a repository from running programs. */
const OLDEST_GIT = [2, 31] as const;

/** Checks that git is installed and new enough. */
export async function gitFinding(askVersion: () => Promise<string> = installedGit): Promise<Finding> {
  try {
    const version = (await askVersion()).trim().replace(/^git version /, "");
    if (isAtLeast(version, OLDEST_GIT)) return { subject: "git", state: "ok", detail: version };
    const detail = `${version} is too old: review code cannot work`;
    const remedy = `Install git ${OLDEST_GIT.join(".")} or newer; plans can be reviewed without it.`;
    return { subject: "git", state: "broken", detail, remedy };
  } catch {
    const remedy = "Install git and put it on the PATH; plans can be reviewed without it.";
    return { subject: "git", state: "broken", detail: "not found: review code cannot work", remedy };
  }
}

async function installedGit(): Promise<string> {
  return (await promisify(execFile)("git", ["--version"], { timeout: 10_000 })).stdout;
}

function isAtLeast(version: string, [oldestMajor, oldestMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

export interface BrowserContext {
  /** The value of SERVICE_BROWSER or BROWSER. */
  readonly browser: string | undefined;
  readonly remote: boolean;
  readonly ssh: boolean;
  readonly desktop: boolean;
  readonly searchPath: string;
  readonly platform: NodeJS.Platform;
}

/** Checks whether a review's page can be opened automatically. A failure is not fatal: the URL is always printed. */
export async function browserFinding(context: BrowserContext): Promise<Finding> {
  const subject = "browser";
  const byHand = "Open the URL that a review prints; the browser need not be on this machine.";
  if (context.browser?.toLowerCase() === "none")
    return { subject, state: "off", detail: "switched off by SERVICE_BROWSER or BROWSER" };
  if (context.remote || (context.ssh && !context.browser)) {
    const detail = context.remote ? "not opened in remote mode" : "not opened over SSH without BROWSER";
    return { subject, state: "off", detail, remedy: byHand };
  }
  const program =
    context.browser ?? (context.platform === "linux" && context.desktop ? "xdg-open" : undefined);
  if (program === undefined && !context.desktop) {
    return { subject, state: "warning", detail: "no desktop found", remedy: byHand };
  }
  if (program === undefined) return { subject, state: "ok", detail: "the system's default" };
  for (const [name] of browserCommands(program)) {
    if (await isOnPath(name, context.searchPath, context.platform))
      return { subject, state: "ok", detail: name };
  }
  return {
    subject,
    state: "warning",
    detail: `${program} not found`,
    remedy: `Set SERVICE_BROWSER. ${byHand}`,
  };
}

/**
 * Extensions of programs on Windows, in the order in which they are tried. A name without an extension is the last:
 * beside each `.cmd` script, npm installs a script for sh without an extension, which Windows cannot run.
 */
const WINDOWS_EXTENSIONS = [".exe", ".cmd", ".bat", ".com", ""];

/** Returns whether a program, by name or path, can be run. `searchPath` is the PATH. */
export async function isOnPath(
  program: string,
  searchPath: string,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  return (await findOnPath(program, searchPath, platform)) !== undefined;
}

/** Returns the path of an executable program, or undefined. */
export async function findOnPath(
  program: string,
  searchPath: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  const isPath = /[/\\]/.test(program);
  const paths = isPath
    ? [program]
    : searchPath
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, program));
  const extensions = platform === "win32" ? WINDOWS_EXTENSIONS : [""];
  for (const path of paths.flatMap((base) => extensions.map((extension) => base + extension))) {
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
