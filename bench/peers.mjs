// The programs ours is measured beside. They are brought into a scratch folder, never into the product.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { tryAgain } from "../scripts/try-again.mjs";

const SCRATCH = resolve(import.meta.dirname, "../.cache/bench-peers");
const PEERS = {
  difit: { packages: ["difit@1.1.2"], proof: "node_modules/difit/dist/cli/index.js" },
  portkey: {
    packages: ["@portkey-ai/gateway@1.15.2"],
    // With newer versions of its server, streams fail on Node.js 20; they must be this old wherever it needs them.
    overrides: { hono: "4.9.7", "@hono/node-server": "1.13.5" },
    proof: "node_modules/@portkey-ai/gateway/build/start-server.js",
  },
  ccr: {
    packages: ["@musistudio/claude-code-router@2.0.0"],
    proof: "node_modules/@musistudio/claude-code-router/dist/cli.js",
  },
};
/** Debian's packages for the programs that make, relay and answer load. */
const PACKAGE_OF = { nginx: "nginx-light", wrk: "wrk", cc: ["gcc", "libc6-dev"], taskset: "util-linux" };

/** The folder a peer is installed in: the given one, else a scratch folder, where it is installed if it is not yet. */
export async function bringPeer(name, given = {}) {
  const { packages, proof, overrides = {} } = PEERS[name];
  const folder = resolve(given[name] ?? resolve(SCRATCH, name));
  if (existsSync(resolve(folder, proof))) return folder;
  if (given[name]) throw new Error(`${folder} holds no ${proof}`);
  process.stderr.write(`  installing ${packages.join(", ")}\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(resolve(folder, "package.json"), JSON.stringify({ private: true, overrides }));
  const quietly = ["--no-audit", "--no-fund", "--loglevel=error", "--save-exact"];
  await tryAgain(`npm install ${packages[0]}`, () =>
    execFileSync("npm", ["install", ...quietly, ...packages], { cwd: folder, stdio: ["ignore", 2, 2] }),
  );
  return folder;
}

/** Sees to it that these programs are there, by apt-get where that may be used. Throws, saying what is missing. */
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
