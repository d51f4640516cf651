// Builds dist/: the pages, and the command as one entry with lazily loaded parts, compiled for the Node.js that builds.
//   node scripts/build.mjs [--cli-only | --web-only]
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { bundleParts, bundleStart, recordCache, root } from "./bundle.mjs";
import { packagesIn, writeLicences } from "./licences.mjs";
import { cacheName } from "./start/loader.mjs";

const only = process.argv[2];
const outputs = [];
if (only !== "--cli-only") outputs.push(...(await buildPages()));
if (only !== "--web-only") outputs.push(await buildCommand());
if (!only) writeLicences(packagesIn(outputs), resolve(root, "dist/THIRD-PARTY-LICENSES.txt"));

async function buildCommand() {
  const entry = resolve(root, "dist/sallyport.js");
  const parts = resolve(root, "dist/parts");
  const bundle = await bundleParts(parts, "dce-only");
  await bundleStart("package", entry);
  chmodSync(entry, 0o755);
  // Scripts: Node's loader of modules alone takes a third as long as a bare start.
  writeFileSync(resolve(root, "dist/package.json"), '{ "type": "commonjs" }\n');
  rmSync(resolve(root, "dist/cache"), { recursive: true, force: true });
  recordCache(parts, resolve(root, "dist/cache", cacheName()));
  return bundle;
}

async function buildPages() {
  const { build } = await import("vite");
  const from = async (config) => build({ configFile: resolve(root, config), logLevel: "warn" });
  const configs = ["web/vite.config.ts", "web/plan-file.config.ts", "web/diagram-frame.config.ts"];
  const built = [];
  // One after the other: the first empties the folder of all.
  for (const config of configs) built.push(await from(config));
  return built.flat();
}
