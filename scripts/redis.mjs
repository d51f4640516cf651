// Installs the Redis server that tests of shared limits start, where the package manager can.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { canInstall, install, updateLists } from "./apt.mjs";
import { tryAgain } from "./try-again.mjs";

/** Shown if no Redis server can be installed. */
export const HOW_TO_INSTALL_REDIS =
  "Install one (Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis), then run: npm run test:unit";

/** Ensures that `redis-server` is on the PATH. Throws where only an administrator can install it. */
export async function ensureRedis() {
  if (isOnPath("redis-server")) return;
  if (!canInstall()) throw new Error("redis-server is not on the PATH");
  process.stderr.write("Installing the package redis-server for the tests of shared limits …\n");
  await tryAgain("Installing redis-server", () => {
    updateLists();
    install("redis-server");
  });
}

function isOnPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}
