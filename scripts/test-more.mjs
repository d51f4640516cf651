// The suites that `npm test` runs in small, at their full size, and the one that fills disks and therefore needs to mount them,
// which any user may do in a namespace of their own on most of Linux. Usage: node scripts/test-more.mjs crash|fuzz|disk
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const SUITES = {
  crash: { project: "e2e", files: "test/e2e/crash-safety.test.ts", size: { CRASH_KILLS: "200" } },
  fuzz: { project: "unit", files: "test/faults/raw-http.test.ts", size: { RAW_REQUESTS: "50000" } },
  disk: { project: "disk", files: "test/disk", mounts: true },
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
const command = [...(suite.mounts ? namespace() : []), process.execPath, ...vitest];
const { status } = spawnSync(command[0], command.slice(1), {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, ...suite.size },
});
process.exitCode = status ?? 1;

/** What puts a command where its mounts are seen by nobody else. Throws where this machine allows nobody that. */
function namespace() {
  const ways = [
    ["unshare", "--user", "--map-root-user", "--mount"],
    ["unshare", "--mount"],
  ];
  const found = ways.find(([program, ...flags]) => spawnSync(program, [...flags, "true"]).status === 0);
  if (!found) throw new Error("These tests mount disks, and no namespace of their own is allowed them here.");
  return found;
}
