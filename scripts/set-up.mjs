// Installs packages and builds. With --browser it also installs a Chromium for the tests, with --servers Redis and
// PostgreSQL, with --firefox a Firefox, with --webkit WebKitGTK; with --packages it only installs packages.
// Runs before `npm start`, `npm test`, builds and other commands; steps that are already done are skipped.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { tryAgain } from "./try-again.mjs";

const report = (text) => process.stderr.write(`${text}\n`);
// The check precedes any syntax or module that an older Node.js lacks, so that such a version prints this
// error.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  report(
    `Sallyport requires Node.js 20.19 or newer; this is ${process.version}. See https://nodejs.org/en/download`,
  );
  process.exit(1);
}
const root = resolve(import.meta.dirname, "..");
const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: root, stdio: ["ignore", 2, 2], ...options });
// On Windows npm is a script and needs a shell. Node.js does not, and a shell would split the path "Program Files".
const npm = (args) => run("npm", args, { shell: process.platform === "win32" });
const at = (path) => resolve(root, path);
const modified = (path) => (existsSync(at(path)) ? statSync(at(path)).mtimeMs : 0);

if (modified("node_modules/.package-lock.json") < modified("package-lock.json")) {
  report("Installing packages (once, about a minute) …");
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=5"];
  await tryAgain("npm ci", () => npm(["ci", ...quietly])).catch((error) =>
    giveUp(
      "The packages could not be installed",
      error,
      "Read npm's output above, and check that its registry can be reached.",
    ),
  );
}

if (!process.argv.includes("--packages") && !isBuilt()) {
  report("Building …");
  run(process.execPath, ["scripts/build.mjs"]);
  writeFileSync(at("dist/.built-from"), sourceStamp());
}

// A missing Chromium or Firefox is not an error here: the command that needs the browser ends with an error, and other
// tests still run.
if (process.argv.includes("--browser")) {
  const { ensureChromium, HOW_TO_INSTALL } = await import("./chromium.mjs");
  await ensureChromium().catch((error) =>
    report(`\nThere is no Chromium for the browser tests: ${error.message}\n${HOW_TO_INSTALL}\n`),
  );
}

if (process.argv.includes("--firefox")) {
  const { ensureFirefox } = await import("./firefox.mjs");
  await ensureFirefox().catch((error) =>
    report(`\nThere is no Firefox for the browser tests: ${error.message}\n`),
  );
}

if (process.argv.includes("--webkit")) {
  const { ensureWebKit } = await import("./webkit.mjs");
  await ensureWebKit().catch((error) => giveUp("There is no WebKit for the browser tests", error));
}

if (process.argv.includes("--servers")) {
  const { ensureServers } = await import("./servers.mjs");
  // A missing server is not an error here: the tests that start it fail with the same message.
  await ensureServers().catch((error) => report(`\n${error.message}\n`));
}

/** Prints why the command cannot start, without a stack trace, and exits with 1. */
function giveUp(what, error, remedy = "") {
  report([`\n${what}: ${error.message}`, remedy].filter(Boolean).join("\n"));
  process.exit(1);
}

function isBuilt() {
  return (
    existsSync(at("dist/sallyport.js")) &&
    existsSync(at("dist/.built-from")) &&
    readFileSync(at("dist/.built-from"), "utf8") === sourceStamp()
  );
}

/**
 * Returns a fingerprint that changes when a tracked or untracked source file changes. Outside of a git repository, it
 * changes only with the package files and with the entries directly in a source folder.
 */
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
