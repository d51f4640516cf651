// Installs the pinned programs of test/editors-live/support/tools.json below .cache/editors, or below the folder that
// SALLYPORT_EDITORS names.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
export const cache = process.env.SALLYPORT_EDITORS ?? resolve(root, ".cache/editors");
const tools = JSON.parse(readFileSync(resolve(root, "test/editors-live/support/tools.json"), "utf8"));

/** Returns the path of a program, which is installed on first use. */
export function installTool(name) {
  const { package: from, version, entry, also = [], runsScripts = false } = tools[name];
  const folder = resolve(cache, `${name}-${version}`);
  const done = join(folder, "installed");
  const program = join(folder, "node_modules", entry);
  if (!existsSync(done) || !existsSync(program)) {
    process.stderr.write(`Installing ${from} ${version} …\n`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    install(folder, [...(runsScripts ? [] : ["--ignore-scripts"]), `${from}@${version}`]);
    // The package's install script, which is skipped, would install the dependencies of these folders.
    for (const inner of also)
      install(join(folder, "node_modules", inner), ["--ignore-scripts", "--omit=dev"]);
    if (!existsSync(program)) throw new Error(`${from} ${version} has no ${entry}`);
    writeFileSync(done, "");
  }
  return program;
}

/**
 * Installs npm packages into a folder. --force skips the engine check: the tests run each program with the
 * Node.js version that it requires.
 */
function install(folder, args) {
  const common = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--force"];
  execFileSync("npm", [...common, ...args], { cwd: folder, stdio: ["ignore", 2, 2] });
}
