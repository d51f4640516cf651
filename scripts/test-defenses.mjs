// Removes each defense in a copy of the repository, and checks that its tests fail: npm run test:defenses.
// Arguments select rows: npm run test:defenses -- R1 P13. --quick skips the first run, which has all defenses
// in place, because `npm test` includes its tests.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { defenses } from "./defenses.mjs";
import { copyRepository, root } from "./repository-copy.mjs";

/**
 * Time limits of a run without a defense, in milliseconds: for one test, and for all tests of the defense. A test that
 * hangs counts as failed.
 */
const TEST_LIMIT_MS = 20_000;
const LIMIT_MS = 180_000;

/**
 * Resolves to the counts of passed and failed tests, and to the names of the failed ones. A file that does not load
 * counts as neither, and a run that exceeds `limit` as one failed test.
 */
function runTests(copy, tests, limit = LIMIT_MS) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [
    vitest,
    "run",
    "--project",
    "unit",
    "--project",
    "e2e",
    "--reporter=json",
    // One failed test is enough.
    ...(limit > 0 ? ["--bail=1", `--testTimeout=${TEST_LIMIT_MS}`] : []),
    ...tests.map((test) => `test/${test}`),
  ];
  return new Promise((done) => {
    const options = { cwd: copy, timeout: limit, killSignal: "SIGKILL", maxBuffer: 1 << 28 };
    execFile(process.execPath, args, options, (error, stdout) => {
      if (error?.killed) return done({ passed: 0, failed: 1 });
      try {
        const { numPassedTests, numFailedTests, testResults } = JSON.parse(stdout.slice(stdout.indexOf("{")));
        const results = testResults.flatMap(({ assertionResults }) => assertionResults);
        const names = results.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
        done({ passed: numPassedTests, failed: numFailedTests, names });
      } catch {
        done({ passed: 0, failed: 0 });
      }
    });
  });
}

/** Builds the command and its pages for the end-to-end tests. */
function build(copy) {
  return promisify(execFile)(process.execPath, [join(copy, "scripts", "build.mjs")], { cwd: copy });
}

/** Returns undefined if the tests failed as expected, or a message otherwise. */
async function tryDefense(copy, [, test, ...changes]) {
  const originals = new Map();
  try {
    for (let at = 0; at < changes.length; at += 3) {
      const [file, text, replacement] = changes.slice(at, at + 3);
      const source = readFileSync(join(copy, file), "utf8");
      if (!source.includes(text)) return `${file} no longer contains: ${text}`;
      if (!originals.has(file)) originals.set(file, source);
      writeFileSync(
        join(copy, file),
        source.replace(text, () => replacement),
      );
    }
    if (test.startsWith("e2e/")) await build(copy);
    const { passed, failed } = await runTests(copy, [test]);
    if (failed > 0) return undefined;
    return passed > 0 ? "went unnoticed" : "the tests could not be run";
  } finally {
    for (const [file, source] of originals) writeFileSync(join(copy, file), source);
  }
}

const args = process.argv.slice(2);
const rows = new Set(args.filter((arg) => arg !== "--quick"));
const chosen = defenses.filter(([row]) => rows.size === 0 || rows.has(row));
const waiting = [...chosen];
const wrong = [];
const copies = Array.from({ length: Math.min(4, availableParallelism(), chosen.length) }, () =>
  copyRepository(mkdtempSync(join(tmpdir(), "sallyport-defenses-"))),
);
try {
  if (!args.includes("--quick")) {
    if (chosen.some(([, test]) => test.startsWith("e2e/"))) await build(copies[0]);
    const { passed, failed, names } = await runTests(
      copies[0],
      [...new Set(chosen.map(([, test]) => test))],
      0,
    );
    if (failed > 0 || passed === 0) throw new Error(`These tests fail with every defense in place: ${names}`);
  }
  const work = async (copy) => {
    for (let defense = waiting.shift(); defense; defense = waiting.shift()) {
      const [row, , file, text] = defense;
      const problem = await tryDefense(copy, defense);
      console.log(
        `${problem === undefined ? "noticed" : "MISSED "}  ${row.padEnd(4)} ${file}: ${text.split("\n")[0]}`,
      );
      if (problem !== undefined) wrong.push(`${row}: ${problem} (${file}: ${text})`);
    }
  };
  await Promise.all(copies.map(work));
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
console.log(`${chosen.length} defenses removed, ${chosen.length - wrong.length} detected`);
for (const problem of wrong) console.error(problem);
if (wrong.length > 0) process.exitCode = 1;
