// Checks what has changed since the branch left main, uncommitted changes included: the lint of changed files, types,
// and the nearest unit tests that import a changed file. Also checks all files against the glossary, and runs the tests
// directly below test/. Usage: npm run check:fast
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findRelatedTests } from "./related-tests.mjs";

const root = resolve(import.meta.dirname, "..");
const bin = (name) => join(root, "node_modules", ".bin", name);
const types = (name, ...args) => [
  bin("tsc"),
  ["--noEmit", "--incremental", "--tsBuildInfoFile", join(root, ".cache", `${name}.tsbuildinfo`), ...args],
];

const changed = changedFiles();
const { tests, omitted } = findRelatedTests(changed, readSources());
process.stdout.write(
  `${tests.length} test files belong to ${changed.length} changed files` +
    `${omitted > 0 ? `; ${omitted} more import them and run with: npm run test:unit` : ""}\n`,
);
const results = await Promise.all([
  run("lint", bin("biome"), ["check", "--error-on-warnings", ...lintedFiles()]),
  run("words", process.execPath, ["scripts/check-words.mjs"]),
  ...typeChecks().map(([title, ...args]) => run(title, ...types(...args))),
  run("tests", bin("vitest"), ["run", "--project", "unit", "--reporter", "dot", ...tests]),
]);
if (results.includes(false)) process.exitCode = 1;

function git(...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function changedFiles() {
  const changed = git("diff", "--name-only", "-z", branchPoint());
  const added = git("ls-files", "--others", "--exclude-standard", "-z");
  return `${changed}${added}`.split("\0").filter(Boolean);
}

function branchPoint() {
  try {
    return git("merge-base", "HEAD", "main").trim();
  } catch {
    return "HEAD";
  }
}

/**
 * Returns the files that Biome checks: the changed ones, or all if there are none or if biome.json or package-lock.json
 * has changed.
 */
function lintedFiles() {
  const isForAll = changed.some((path) => path === "biome.json" || path === "package-lock.json");
  const existing = changed.filter((path) => existsSync(join(root, path)));
  return isForAll || existing.length === 0 ? ["."] : ["--no-errors-on-unmatched", "--", ...existing];
}

/** Returns the type checks: none if no source or setting has changed, that of the extension only if it has changed. */
function typeChecks() {
  if (!changed.some((path) => /\.(?:ts|tsx|mts|json)$/.test(path))) return [];
  const checks = [
    ["types", "types"],
    ["types of web", "types-web", "-p", "web"],
  ];
  const extension = ["types of the extension", "types-extension", "-p", "extensions/vscode"];
  return changed.some((path) => path.startsWith("extensions/")) ? [...checks, extension] : checks;
}

/** Returns the text of each source file by path. */
function readSources() {
  const paths = git("ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0");
  const sources = paths.filter((path) => /\.(?:ts|tsx|mjs|mts)$/.test(path) && existsSync(join(root, path)));
  return new Map(sources.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/** Runs a program, prints its output if it fails, and returns whether it succeeded. */
async function run(title, program, args) {
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const [code] = await once(child, "close");
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${title}: ${code === 0 ? "passed" : "failed"} in ${seconds} s\n`);
  if (code !== 0) process.stdout.write(Buffer.concat(output));
  return code === 0;
}
