// The suites, their times and their closing counts added up. See .ci/run.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const checks = resolve(root, "../shared/checks");
const total = { passed: 0, failed: 0 };

await suite("npm test", "npm", ["test"], vitestCounts);
await suite("slow", "npm", ["run", "test:slow"], vitestCounts);
await suite("firefox", "npm", ["run", "test:firefox-smoke"], vitestCounts);
// Two suites that wait for time limits run at the same time. The others have limits for single answers and for the whole
// suite, which a busy machine exceeds. Checks of the gateway take nine minutes and are run before a release.
await Promise.all([check("live"), check("translate")]);
await check("review");
await check("proxy");
await suite("soak", "npm", ["run", "test:soak", "--", "--minutes", "1"], vitestCounts);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

/** Runs the black-box checks of an area, if they stand beside the project. */
async function check(name) {
  const program = resolve(checks, `${name}.mjs`);
  if (existsSync(program)) await suite(`checks: ${name}`, process.execPath, [program], checkCounts, false);
}

/** Runs a suite. Its output appears as it is written, or at the end if other suites write at the same time. */
async function suite(title, program, args, countsOf, isAlone = true) {
  const started = performance.now();
  if (isAlone) process.stdout.write(`\n== ${title}\n`);
  const { code, text, errors } = await run(program, args, isAlone);
  if (!isAlone) process.stdout.write(`\n== ${title}\n${text}${errors}`);
  const { passed, failed } = countsOf(text);
  total.passed += passed;
  // A suite that ends badly without naming a failed case (a build error, a crash) counts as one.
  total.failed += code === 0 ? failed : Math.max(failed, 1);
  process.stdout.write(`-- ${title}: ${Math.round((performance.now() - started) / 1000)} s\n`);
}

function run(program, args, isShown) {
  return new Promise((done) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", "pipe", isShown ? "inherit" : "pipe"],
      env: { ...process.env, NO_COLOR: "1" },
    });
    let text = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (isShown) process.stdout.write(chunk);
    });
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("close", (code) => done({ code, text, errors }));
    child.on("error", (error) => done({ code: 1, text: error.message, errors }));
  });
}

/** Sums the "Tests  3 failed | 40 passed (43)" lines of every vitest run. */
function vitestCounts(text) {
  const counts = { passed: 0, failed: 0 };
  for (const [, line] of text.matchAll(/^\s*Tests\s+(.*)$/gm)) {
    counts.passed += Number(line.match(/(\d+) passed/)?.[1] ?? 0);
    counts.failed += Number(line.match(/(\d+) failed/)?.[1] ?? 0);
  }
  return counts;
}

function checkCounts(text) {
  const [, passed = 0, failed = 0] = [...text.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1) ?? [];
  return { passed: Number(passed), failed: Number(failed) };
}
