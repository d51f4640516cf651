// The suites that `npm test` runs in small, at their full size. Usage: node scripts/test-more.mjs crash|fuzz
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const SUITES = {
  crash: { project: "e2e", files: "test/e2e/crash-safety.test.ts", size: { CRASH_KILLS: "200" } },
  fuzz: { project: "unit", files: "test/faults/raw-http.test.ts", size: { RAW_REQUESTS: "50000" } },
};

const suite = SUITES[process.argv[2]];
if (!suite) throw new Error(`Which suite? One of: ${Object.keys(SUITES).join(", ")}`);
const vitest = [
  resolve(root, "node_modules/vitest/vitest.mjs"),
  "run",
  "--project",
  suite.project,
  suite.files,
];
const { status } = spawnSync(process.execPath, vitest, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, ...suite.size },
});
process.exitCode = status ?? 1;
