import { join, sep } from "node:path";
import { isSea } from "node:sea";
import { dataDirectory, processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { toRealPath } from "../../files/real-path.ts";
import type { Output } from "../output.ts";
import { listRunningProxies } from "../proxy/running-proxies.ts";
import { type RunCommand, runCommand } from "../run-command.ts";
import { confirm, describeMissingTerminal } from "../setup/carry-out.ts";
import { version } from "../version.ts";

export interface UpgradeFlags {
  readonly check: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

interface UpgradeOptions {
  readonly run?: RunCommand;
  /** The version of this program. */
  readonly installed?: string;
  /** The script of this process; undefined for the single executable. */
  readonly script?: string | undefined;
}

const INTERRUPTED = 130;

/**
 * Runs `sallyport upgrade`: installs the newest version with npm and restarts running proxies; with `--check`, only
 * compares the versions. Resolves to the exit code.
 */
export async function upgrade(
  flags: UpgradeFlags,
  output: Output,
  {
    run = runCommand,
    installed = version,
    script = isSea() ? undefined : process.argv[1],
  }: UpgradeOptions = {},
): Promise<number> {
  const newest = await fetchNewestVersion(run);
  const isNewer = compareVersions(newest, installed) > 0;
  if (flags.check || !isNewer) {
    const text = isNewer
      ? `Version ${newest} is available; ${installed} is installed. To install it: sallyport upgrade`
      : `Version ${installed} is installed. It is the newest version.`;
    await output.result(flags.json ? JSON.stringify({ installed, newest, available: isNewer }) : text);
    return 0;
  }
  if (script === undefined || !(await isGlobalPackage(script, run))) refuseOther(newest);
  const install = ["install", "--global", `sallyport@${newest}`];
  if (!flags.yes) {
    const reply = await askToInstall(installed, newest);
    if (reply !== "yes") {
      output.note("No changes made.");
      return reply === "interrupted" ? INTERRUPTED : 0;
    }
  }
  const result = await run("npm", install);
  if (result.code !== 0)
    throw new AppError("upgrade_failed", `npm ${install.join(" ")} failed: ${result.stderr.trim()}`, {
      hint: `To see the details, run: npm ${install.join(" ")}`,
    });
  const restarted = await restartProxies(script, run, output);
  if (flags.json) await output.result(JSON.stringify({ installed: newest, replaced: installed, restarted }));
  else output.note(`Version ${newest} is installed.`);
  return 0;
}

/** Without these flags, npm retries for more than a minute if there is no network. */
const FETCH_LIMITS = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=30000"];

/** Returns the newest published version. Throws `upgrade_failed`. */
async function fetchNewestVersion(run: RunCommand): Promise<string> {
  const { code, stdout, stderr } = await run("npm", ["view", "sallyport@latest", "version", ...FETCH_LIMITS]);
  const newest = stdout.trim();
  if (code === 0 && /^\d+\.\d+\.\d+/.test(newest)) return newest;
  if (code === undefined)
    throw new AppError("upgrade_failed", "Cannot find the newest version: npm is not installed", {
      hint: "Compare sallyport --version with the releases on the project's page.",
    });
  throw new AppError(
    "upgrade_failed",
    `Cannot find the newest version: ${getNpmError(stderr) || "npm printed no version"}`,
    {
      hint: "Check the network and npm's registry: npm config get registry",
    },
  );
}

function getNpmError(stderr: string): string {
  if (/E404/.test(stderr)) return "the package is not published";
  return /failed, reason: (.+)/.exec(stderr)?.[1] ?? stderr.trim().split("\n")[0] ?? "";
}

/**
 * Returns whether a script belongs to a package in npm's global folder. A clone that is only linked there does not: npm
 * would replace the link.
 */
async function isGlobalPackage(script: string, run: RunCommand): Promise<boolean> {
  const { code, stdout } = await run("npm", ["root", "--global"]);
  if (code !== 0 || stdout.trim() === "") return false;
  return toRealPath(script).startsWith(join(toRealPath(stdout.trim()), "sallyport", sep));
}

function refuseOther(newest: string): never {
  throw new AppError(
    "upgrade_failed",
    "Cannot upgrade: Sallyport was not installed with npm install --global",
    {
      hint: `Install version ${newest} in the same way as this one, then run: sallyport proxy restart`,
    },
  );
}

async function askToInstall(installed: string, newest: string): Promise<"yes" | "no" | "interrupted"> {
  const missing = describeMissingTerminal();
  if (missing !== undefined)
    throw new AppError("usage", `No changes made: ${missing}`, {
      hint: "To install without asking, run: sallyport upgrade --yes",
    });
  return confirm(`Replace version ${installed} with ${newest}?`, process.stdin, process.stderr);
}

/**
 * Restarts all running proxies with the program on disk. Returns the URLs of those that restarted, and prints a note
 * for each proxy.
 */
async function restartProxies(script: string, run: RunCommand, output: Output): Promise<readonly string[]> {
  const restarted: string[] = [];
  for (const { url, port } of await listRunningProxies(dataDirectory(processEnvironment))) {
    const { code, stderr } = await run(process.execPath, [
      script,
      "proxy",
      "restart",
      "--port",
      String(port),
    ]);
    if (code === 0) restarted.push(url);
    output.note(code === 0 ? `${url} runs the new version.` : `${url} was not replaced. ${stderr.trim()}`);
  }
  return restarted;
}

/**
 * Compares two versions of the form 1.2.3, with or without a pre-release; a positive number means that the first is
 * newer. Source: https://semver.org, rule 11.
 */
export function compareVersions(one: string, other: string): number {
  const [[first, firstPre], [second, secondPre]] = [split(one), split(other)];
  for (const [index, number] of first.entries()) {
    const difference = number - (second[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (firstPre === secondPre) return 0;
  if (firstPre === undefined) return 1;
  if (secondPre === undefined) return -1;
  return comparePreReleases(firstPre.split("."), secondPre.split("."));
}

function comparePreReleases(one: readonly string[], other: readonly string[]): number {
  for (const [index, first] of one.entries()) {
    const second = other[index];
    if (second === undefined) return 1;
    if (first === second) continue;
    const [isNumber, isOtherNumber] = [first, second].map((each) => /^\d+$/.test(each));
    if (isNumber && isOtherNumber) return Number(first) - Number(second);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return first < second ? -1 : 1;
  }
  return one.length - other.length;
}

function split(version: string): [readonly number[], string | undefined] {
  const [plain = "", ...rest] = (version.split("+")[0] ?? "").split("-");
  return [plain.split(".").map(Number), rest.length === 0 ? undefined : rest.join("-")];
}
