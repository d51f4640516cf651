// Installs the programs that Sallyport is compared with, in a separate folder.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { tryAgain } from "../scripts/try-again.mjs";

const SCRATCH = resolve(import.meta.dirname, "../.cache/bench-peers");
const PEERS = {
  difit: { packages: ["difit@1.1.2"], proof: "node_modules/difit/dist/cli/index.js" },
  portkey: {
    packages: ["@portkey-ai/gateway@1.15.2"],
    // Newer versions of its HTTP server break streams on Node.js 20, so these are pinned everywhere.
    overrides: { hono: "4.9.7", "@hono/node-server": "1.13.5" },
    proof: "node_modules/@portkey-ai/gateway/build/start-server.js",
  },
  ccr: {
    packages: ["@musistudio/claude-code-router@2.0.0"],
    proof: "node_modules/@musistudio/claude-code-router/dist/cli.js",
  },
};
/** The Debian packages of the programs in `tools` of a bench. */
const PACKAGE_OF = { nginx: "nginx-light", wrk: "wrk", cc: ["gcc", "libc6-dev"], taskset: "util-linux" };

/**
 * Returns the folder of a peer: the one in `given`, or one below .cache, in which the peer is installed if necessary.
 */
export async function bringPeer(name, given = {}) {
  const { packages, proof, overrides = {} } = PEERS[name];
  const folder = resolve(given[name] ?? resolve(SCRATCH, name));
  if (existsSync(resolve(folder, proof))) return folder;
  if (given[name]) throw new Error(`${folder} does not contain ${proof}`);
  process.stderr.write(`  installing ${packages.join(", ")}\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(resolve(folder, "package.json"), JSON.stringify({ private: true, overrides }));
  const quietly = ["--no-audit", "--no-fund", "--loglevel=error", "--save-exact"];
  await tryAgain(`npm install ${packages[0]}`, () =>
    execFileSync("npm", ["install", ...quietly, ...packages], { cwd: folder, stdio: ["ignore", 2, 2] }),
  );
  return folder;
}

/**
 * Ensures that the programs are installed; installs them with apt-get if this process runs as root. Throws with the
 * names of missing ones.
 */
export function bringTools(names) {
  const missing = () => names.filter((name) => !isProgram(name));
  if (missing().length > 0 && process.getuid?.() === 0 && isProgram("apt-get")) {
    const packages = missing().flatMap((name) => PACKAGE_OF[name]);
    spawnSync("apt-get", ["update", "-qq"], { stdio: ["ignore", 2, 2] });
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], {
      stdio: ["ignore", 2, 2],
    });
  }
  if (missing().length > 0)
    throw new Error(
      `${missing().join(", ")} missing (Debian: ${missing().flatMap((name) => PACKAGE_OF[name])})`,
    );
}

function isProgram(name) {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin"];
  return folders.some((folder) => existsSync(resolve(folder, name)));
}
