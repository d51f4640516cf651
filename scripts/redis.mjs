// Installs the Redis server that tests of shared limits start, where the package manager can.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { firstLine, tryAgain } from "./try-again.mjs";

/** Shown if no Redis server can be installed. */
export const HOW_TO_INSTALL_REDIS =
  "Install one (Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis), then run: npm run test:unit";

/** Ensures that `redis-server` is on the PATH. Throws where only an administrator can install it. */
export async function ensureRedis() {
  if (isOnPath("redis-server")) return;
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    throw new Error("redis-server is not on the PATH");
  process.stderr.write("Installing the package redis-server for the tests of shared limits …\n");
  // In this run level the package starts no service.
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const apt = (...args) =>
    execFileSync("apt-get", ["-o", "DPkg::Lock::Timeout=300", "-qq", ...args], {
      stdio: ["ignore", 2, 2],
      env: environment,
    });
  await tryAgain("Installing redis-server", () => {
    try {
      apt("update");
    } catch (error) {
      // An unreachable package source is not fatal: another one may have the package.
      process.stderr.write(`${firstLine(error)}; continuing with the existing package lists.\n`);
    }
    apt("install", "-y", "--no-install-recommends", "redis-server");
  });
}

function isOnPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}
