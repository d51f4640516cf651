// Builds dist/: the pages, and the command as one entry with lazily loaded parts.
//   node scripts/build.mjs [--cli-only | --web-only]
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { bundleParts, bundleStart, LEFT_OUT, packageVersion, root } from "./bundle.mjs";
import { checkFirstLoad } from "./first-load.mjs";
import { licensesText, moduleCollector, packagesOf } from "./licenses.mjs";
import { manPage } from "./man-page.mjs";
import { bundleSqliteWorker } from "./sqlite-worker.mjs";
import { bundleSymbolsWorker } from "./symbols-worker.mjs";

const only = process.argv[2];
const modules = new Set();
if (only !== "--cli-only") await buildPages();
if (only !== "--web-only") await buildCommand();
if (!only) {
  const packages = packagesOf(modules, { root, leftOut: Object.keys(LEFT_OUT) });
  writeFileSync(resolve(root, "dist/THIRD-PARTY-LICENSES.txt"), licensesText(packages));
}

async function buildCommand() {
  const entry = resolve(root, "dist/sallyport.js");
  const parts = resolve(root, "dist/parts");
  await bundleParts(parts, "dce-only", [moduleCollector(modules)]);
  await bundleSqliteWorker(resolve(root, "dist/workers"), [moduleCollector(modules)]);
  await bundleSymbolsWorker(resolve(root, "dist/workers"), [moduleCollector(modules)]);
  await bundleStart("package", entry, parts);
  chmodSync(entry, 0o755);
  // The scripts are CommonJS, because loading Node.js's ES module loader would take a third of the start-up time.
  writeFileSync(resolve(root, "dist/package.json"), '{ "type": "commonjs" }\n');
  rmSync(resolve(root, "dist/cache"), { recursive: true, force: true });
  await writeManPage();
}

/** Writes the manual page from the command definitions, which the parts do not export. */
async function writeManPage() {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-man-"));
  try {
    const input = { program: resolve(root, "src/cli/program.ts"), help: resolve(root, "src/cli/help.ts") };
    const output = { dir: folder, entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" };
    await build({ input, platform: "node", logLevel: "warn", output });
    const { createProgram } = await import(pathToFileURL(join(folder, "program.mjs")).href);
    const { moreHelp } = await import(pathToFileURL(join(folder, "help.mjs")).href);
    const program = createProgram(undefined, () => {});
    const page = manPage(program, { version: packageVersion(), date: releaseDate(), more: moreHelp });
    writeFileSync(resolve(root, "dist/sallyport.1"), page);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the date of the newest version in the changelog. */
function releaseDate() {
  const changes = readFileSync(resolve(root, "CHANGELOG.md"), "utf8");
  return /^## \d\S* – (\d{4}-\d\d-\d\d)$/m.exec(changes)?.[1] ?? "";
}

async function buildPages() {
  const { build } = await import("vite");
  // Slow builds on busy machines are not worth a warning.
  const quiet = { rollupOptions: { checks: { bundlerTimings: false } } };
  const plugins = [moduleCollector(modules)];
  const worker = { plugins: () => plugins };
  const from = (config) =>
    build({ configFile: resolve(root, config), logLevel: "warn", build: quiet, plugins, worker });
  const configs = [
    "web/vite.config.ts",
    "web/plan-file.config.ts",
    "web/code-file.config.ts",
    "web/diagram-frame.config.ts",
    "web/dashboard.config.ts",
  ];
  // The builds run one after another, because the first one empties the output folder.
  for (const config of configs) await from(config);
  checkFirstLoad(resolve(root, "dist/web"), "code/index.html", 160_000);
}
