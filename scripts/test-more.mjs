// Runs one of the random suites at full size, or the disk suite, which mounts disks in a namespace (Linux). The seed is
// new unless SEED sets it.
// `npm test` and `npm run test:slow` run the random suites small, with a fixed seed.
// Usage: node scripts/test-more.mjs crash|live-crash|typing|fuzz|disk
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const SUITES = {
  crash: { project: "slow", files: ["test/e2e/crash-safety.test.ts"], size: { CRASH_KILLS: "200" } },
  "live-crash": {
    project: "slow",
    files: ["test/e2e/live-crash.test.ts"],
    size: { LIVE_KILLS: "200" },
  },
  typing: {
    project: "slow",
    files: ["test/e2e/typing-page.test.ts", "test/e2e/typing-later-pages.test.ts"],
    size: { TYPED_SENTENCES: "all" },
  },
  fuzz: { project: "unit", files: randomTests(), size: { RAW_REQUESTS: "50000" } },
  disk: { project: "disk", files: ["test/disk"], mounts: true },
};

const suite = SUITES[process.argv[2]];
if (!suite) throw new Error(`Suite missing or unknown. Pass one of: ${Object.keys(SUITES).join(", ")}`);
const vitest = [
  resolve(root, "node_modules/vitest/vitest.mjs"),
  "run",
  "--project",
  suite.project,
  ...suite.files,
];
const command = [...(suite.mounts ? namespace() : []), process.execPath, ...vitest];
const seed = process.env["SEED"] ?? String(Date.now() % 1_000_000);
process.stdout.write(`SEED=${seed}\n`);
const { status } = spawnSync(command[0], command.slice(1), {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, ...suite.size, SEED: seed },
});
process.exitCode = status ?? 1;

/** Returns the command prefix that creates a mount namespace. Throws if the machine does not permit one. */
function namespace() {
  const ways = [
    ["unshare", "--user", "--map-root-user", "--mount"],
    ["unshare", "--mount"],
  ];
  const found = ways.find(([program, ...flags]) => spawnSync(program, [...flags, "true"]).status === 0);
  if (!found)
    throw new Error(
      "Cannot create a mount namespace, which these tests need. Allow user namespaces, or run as root.",
    );
  return found;
}

/** Returns the unit tests that use random values: property tests and malformed requests. */
function randomTests() {
  return readdirSync(join(root, "test"), { recursive: true })
    .map((path) => `test/${path.replaceAll("\\", "/")}`)
    .filter(
      (path) =>
        path.endsWith(".test.ts") && !/^test\/(?:e2e|firefox|webkit|agents-live|soak|disk)\//.test(path),
    )
    .filter((path) =>
      /"fast-check"|support\/(?:random|exchange-laws)\.ts"/.test(readFileSync(join(root, path), "utf8")),
    );
}
