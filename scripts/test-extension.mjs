// Tests the extension for VS Code in its open-source build: installs code-server, packages the extension and runs
// test/editors-live. Arguments go to vitest.
import { execFileSync, spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { cache, installTool } from "./editor-tools.mjs";

const root = resolve(import.meta.dirname, "..");
for (const name of ["node", "code-server", "vsce"]) installTool(name);
const script = (name, ...args) => [resolve(root, "scripts", name), ...args];
execFileSync(process.execPath, script("build-extension.mjs", "--package"), {
  cwd: root,
  stdio: ["ignore", 2, 2],
});
const vitest = [resolve(root, "node_modules/vitest/vitest.mjs"), "run", "--project", "editors"];
const env = { ...process.env, SALLYPORT_EDITORS: cache };
const { status } = spawnSync(process.execPath, [...vitest, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env,
});
process.exitCode = status ?? 1;
