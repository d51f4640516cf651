// The suites one after the other, their closing counts added up. See .ci/run.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const checks = resolve(root, "../shared/checks");
const total = { passed: 0, failed: 0 };

await suite("npm test", "npm", ["test"], vitestCounts);
/** The checks of what exists; pull requests, patches, files and commits do not yet. */
const CHECKS = [
  ["review"],
  ["proxy"],
  ["translate"],
  ["live", "--only", "^(?!pr|patch|files|commits|jj|sl)"],
];
for (const [name, ...flags] of CHECKS) {
  const script = resolve(checks, `${name}.mjs`);
  if (existsSync(script)) await suite(`checks: ${name}`, process.execPath, [script, ...flags], checkCounts);
}
await suite("soak", "npm", ["run", "test:soak", "--", "--minutes", "1"], vitestCounts);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

async function suite(title, program, args, countsOf) {
  process.stdout.write(`\n== ${title}\n`);
  const { code, text } = await run(program, args);
  const { passed, failed } = countsOf(text);
  total.passed += passed;
  // A suite that ends badly without naming a failed case (a build error, a crash) counts as one.
  total.failed += code === 0 ? failed : Math.max(failed, 1);
}

function run(program, args) {
  return new Promise((done) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NO_COLOR: "1" },
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      process.stdout.write(chunk);
    });
    child.on("close", (code) => done({ code, text }));
    child.on("error", (error) => done({ code: 1, text: error.message }));
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
