// Brings what the main job and the tests need: packages, the build and, with --browser, a Chromium.
// Runs before `npm start` and `npm test`, on a fresh clone as on a machine that has it all.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const say = (text) => process.stderr.write(`${text}\n`);
const run = (program, args) =>
  execFileSync(program, args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
const at = (path) => resolve(root, path);
const modified = (path) => (existsSync(at(path)) ? statSync(at(path)).mtimeMs : 0);

if (modified("node_modules/.package-lock.json") < modified("package-lock.json")) {
  say("Installing packages …");
  // Not `npm ci`: it refuses a lock file without the binaries of every platform, and not every registry carries them all.
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
}

if (!isBuilt()) {
  say("Building …");
  run(process.execPath, ["scripts/build.mjs"]);
  writeFileSync(at("dist/.built-from"), sourceStamp());
}

if (process.argv.includes("--browser")) {
  const { findChromium, installChromium } = await import("./chromium.mjs");
  if (!findChromium()) {
    say("Installing a Chromium for the browser tests …");
    installChromium(root);
  }
}

function isBuilt() {
  return (
    existsSync(at("dist/sallyport.js")) &&
    existsSync(at("dist/.built-from")) &&
    readFileSync(at("dist/.built-from"), "utf8") === sourceStamp()
  );
}

/** Changes whenever a tracked or new source file does. */
function sourceStamp() {
  const folders = ["src", "web", "scripts", "package-lock.json", "package.json"];
  const git = (args) => execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  try {
    const files = git(["ls-files", "-co", "--exclude-standard", "-z", "--", ...folders])
      .split("\0")
      .filter(Boolean);
    return files.map((file) => `${file} ${existsSync(at(file)) ? statSync(at(file)).mtimeMs : 0}`).join("\n");
  } catch {
    return String(Math.max(...folders.map(modified)));
  }
}
