// Builds dist/: the command as one entry with lazily loaded chunks, and the pages beside it.
//   node scripts/build.mjs [--cli-only | --web-only]
import { chmod, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { bundleCommand, root } from "./bundle.mjs";
import { packagesIn, writeLicences } from "./licences.mjs";

const only = process.argv[2];
const outputs = [];
if (only !== "--web-only") outputs.push(await buildCommand());
if (only !== "--cli-only") outputs.push(...(await buildPages()));
if (!only) writeLicences(packagesIn(outputs), resolve(root, "dist/THIRD-PARTY-LICENSES.txt"));

async function buildCommand() {
  await rm(resolve(root, "dist/chunks"), { recursive: true, force: true });
  const output = await bundleCommand({
    dir: resolve(root, "dist"),
    format: "esm",
    entryFileNames: "sallyport.js",
    chunkFileNames: "chunks/[name]-[hash].js",
    banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
    minify: "dce-only",
  });
  await chmod(resolve(root, "dist/sallyport.js"), 0o755);
  return output;
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
