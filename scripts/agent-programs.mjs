// Installs the agents of test/agents-live and runs its tests.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

export const root = resolve(import.meta.dirname, "..");
export const cache = process.env.SALLYPORT_AGENTS ?? resolve(root, ".cache/agents");

/** Returns the programs with their packages and tested versions, by name. */
export function readPrograms() {
  return JSON.parse(readFileSync(resolve(root, "test/agents-live/support/programs.json"), "utf8"));
}

export const report = (text) => process.stderr.write(`${text}\n`);

/** Installs a program into the cache, unless it is already there. */
export function installProgram(name, { package: from, version, entry }) {
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

/**
 * Runs the tests with these vitest arguments and environment variables. If the system supports it, they run
 * in a network namespace that has only the loopback interface. Returns the exit code.
 */
export function runAgentTests(args, variables = {}, stdio = "inherit") {
  const vitest = [resolve(root, "node_modules/vitest/vitest.mjs"), "run", "--project", "agents", ...args];
  const offline = ["-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const canBeOffline = spawnSync("unshare", [...offline, "true"]).status === 0;
  if (!canBeOffline) report("Cannot create a network namespace: the agents can reach other hosts.");
  const [command, ...rest] = canBeOffline
    ? ["unshare", ...offline, process.execPath, ...vitest]
    : [process.execPath, ...vitest];
  const env = { ...process.env, SALLYPORT_AGENTS: cache, ...variables };
  return spawnSync(command, rest, { cwd: root, stdio, env }).status ?? 1;
}
