// Finds or installs a Firefox for the browser tests: that of FIREFOX, of the system, or of its package manager.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { canInstall, install, updateLists } from "./apt.mjs";
import { firstLine, tryAgain } from "./try-again.mjs";

const NAMES = process.platform === "win32" ? ["firefox.exe"] : ["firefox", "firefox-esr"];
const ELSEWHERE = [
  "/Applications/Firefox.app/Contents/MacOS/firefox",
  "C:\\Program Files\\Mozilla Firefox\\firefox.exe",
];

/** Shown if no Firefox can be installed. */
const HOW_TO_INSTALL =
  "Install one (Debian: sudo apt-get install firefox-esr; others: https://www.mozilla.org/firefox) " +
  "or set FIREFOX to the path of one, then run: npm run test:firefox";

/** Returns the path of an installed Firefox, or undefined. `FIREFOX`, if set, is the only candidate. */
export function findFirefox(environment = process.env) {
  if (environment.FIREFOX) return existsSync(environment.FIREFOX) ? environment.FIREFOX : undefined;
  const folders = (environment.PATH ?? "").split(delimiter).filter(Boolean);
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...candidates, ...ELSEWHERE].find((path) => existsSync(path));
}

/**
 * Ensures that a Firefox starts, and installs one as root unless `FIREFOX` names one. Throws an error that names what to
 * install.
 */
export async function ensureFirefox() {
  const named = process.env.FIREFOX;
  const failures = [named ? `FIREFOX=${named} is not a program` : "none is installed"];
  for (const bring of named ? [findFirefox] : [findFirefox, asRoot]) {
    try {
      const path = await bring();
      if (!path) continue;
      expectToRun(path);
      return;
    } catch (error) {
      failures.push(firstLine(error));
    }
  }
  throw new Error(`${failures.at(-1)}. ${HOW_TO_INSTALL}`);
}

async function asRoot() {
  if (!canInstall()) return undefined;
  process.stderr.write("Installing the package firefox-esr for the browser tests …\n");
  return tryAgain("Installing the package firefox-esr", () => {
    updateLists();
    install("firefox-esr", "fonts-liberation");
    return findFirefox();
  });
}

function expectToRun(path) {
  try {
    execFileSync(path, ["--version"], { stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
  } catch (error) {
    throw new Error(`${path} does not run: ${String(error.stderr ?? "").trim() || firstLine(error)}`);
  }
}
