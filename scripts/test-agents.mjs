// Tests with real agents: installs each in its pinned version and runs test/agents-live with network access to loopback
// only. Arguments go to vitest. SALLYPORT_AGENTS names another folder for the programs.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const cache = process.env.SALLYPORT_AGENTS ?? resolve(root, ".cache/agents");
const programs = JSON.parse(readFileSync(resolve(root, "test/agents-live/support/programs.json"), "utf8"));
const report = (text) => process.stderr.write(`${text}\n`);

execFileSync(process.execPath, [resolve(root, "scripts/set-up.mjs")], { cwd: root, stdio: ["ignore", 2, 2] });
for (const [name, wanted] of Object.entries(programs)) installProgram(name, wanted);
process.exitCode = runTests();
// With arguments, only some of the tests ran.
if (process.exitCode === 0 && process.argv.length === 2) {
  report("\nTested:");
  for (const [name, { package: from, version }] of Object.entries(programs))
    report(`  ${name}: ${from} ${version}`);
}

function installProgram(name, { package: from, version, entry }) {
  const folder = resolve(cache, `${name}-${version}`);
  if (existsSync(resolve(folder, "node_modules", entry))) return;
  report(`Installing ${from} ${version} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(resolve(folder, "package.json"), '{ "private": true }\n');
  // --force skips the engine check: the tests use the runtime that each program requires.
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--force", `${from}@${version}`];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
}

/** Runs vitest in a network namespace with loopback only, if the system supports it. */
function runTests() {
  const vitest = [
    resolve(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--project",
    "agents",
    ...process.argv.slice(2),
  ];
  const offline = ["-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const canBeOffline = spawnSync("unshare", [...offline, "true"]).status === 0;
  if (!canBeOffline) report("Cannot create a network namespace: the agents can reach other hosts.");
  const args = canBeOffline
    ? ["unshare", ...offline, process.execPath, ...vitest]
    : [process.execPath, ...vitest];
  const env = { ...process.env, SALLYPORT_AGENTS: cache };
  return spawnSync(args[0], args.slice(1), { cwd: root, stdio: "inherit", env }).status ?? 1;
}
