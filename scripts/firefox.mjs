// Finds or installs a Firefox for the browser tests: the one that FIREFOX names, the system's, the package
// manager's or, if this process may not install packages, one extracted from Debian packages.
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { canDownload, canInstall, extract, install, libraryFolders, updateLists } from "./apt.mjs";
import { expectToRun } from "./expect-to-run.mjs";
import { writeStartScript } from "./start-script.mjs";
import { firstLine, tryAgain } from "./try-again.mjs";

const NAMES = process.platform === "win32" ? ["firefox.exe"] : ["firefox", "firefox-esr"];
const ELSEWHERE = [
  "/Applications/Firefox.app/Contents/MacOS/firefox",
  "C:\\Program Files\\Mozilla Firefox\\firefox.exe",
];
/** Debian's packages. Ubuntu has no `firefox-esr`, and its `firefox` installs a snap. */
const PACKAGES = ["firefox-esr", "fonts-liberation"];
const extracted = resolve(import.meta.dirname, "../.cache/firefox");

/** Shown if no installed Firefox starts. */
export const HOW_TO_INSTALL =
  "Install one (Debian: sudo apt-get install firefox-esr; others: https://www.mozilla.org/firefox) " +
  "or set FIREFOX to the path of one, then run: npm run test:firefox-smoke";

/**
 * Returns the path of an installed Firefox, or of the script that starts the one in `folder`; undefined if
 * there is neither. `FIREFOX`, if set, is the only candidate.
 */
export function findFirefox(environment = process.env, folder = extracted) {
  if (environment.FIREFOX) return existsSync(environment.FIREFOX) ? environment.FIREFOX : undefined;
  const folders = (environment.PATH ?? "").split(delimiter).filter(Boolean);
  const candidates = NAMES.flatMap((name) => folders.map((path) => join(path, name)));
  return [...candidates, ...ELSEWHERE, join(folder, "start")].find((path) => existsSync(path));
}

/**
 * Ensures that a Firefox starts, and installs one if necessary, unless `FIREFOX` is set. Throws an error that names
 * what to install.
 */
export async function ensureFirefox() {
  const named = process.env.FIREFOX;
  const failures = [named ? `FIREFOX=${named} is not a program` : "none is installed"];
  for (const bring of named ? [findFirefox] : [findFirefox, asRoot, withoutRoot]) {
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
    install(...PACKAGES);
    return findFirefox();
  });
}

async function withoutRoot() {
  if (!canDownload()) return undefined;
  process.stderr.write("Downloading the package firefox-esr for the browser tests (once) …\n");
  return tryAgain("Downloading the package firefox-esr", () => {
    extract(extracted, PACKAGES);
    return writeStartScript(extracted, {
      program: join(extracted, "usr/lib/firefox-esr/firefox-esr"),
      libraries: libraryFolders(extracted),
      fonts: join(extracted, "usr/share/fonts"),
    });
  });
}
