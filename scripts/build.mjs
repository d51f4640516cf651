// Builds dist/: the command as one entry with lazily loaded chunks, and the pages beside it.
//   node scripts/build.mjs [--cli-only | --web-only]
import { chmod, rm } from "node:fs/promises";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const only = process.argv[2];

async function buildCommand() {
  const { build } = await import("rolldown");
  const { version } = JSON.parse(
    await (await import("node:fs/promises")).readFile(resolve(root, "package.json"), "utf8"),
  );
  await rm(resolve(root, "dist/chunks"), { recursive: true, force: true });
  await build({
    input: resolve(root, "src/main.ts"),
    platform: "node",
    logLevel: "warn",
    // Its main file requires parts by names a bundler cannot see; its module build does not.
    resolve: { alias: { "jsonc-parser": resolve(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
    transform: { define: { SALLYPORT_VERSION: JSON.stringify(version) } },
    output: {
      dir: resolve(root, "dist"),
      format: "esm",
      entryFileNames: "sallyport.js",
      chunkFileNames: "chunks/[name]-[hash].js",
      banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
      minify: "dce-only",
    },
  });
  await chmod(resolve(root, "dist/sallyport.js"), 0o755);
}

async function buildPages() {
  const { build } = await import("vite");
  await build({ configFile: resolve(root, "web/vite.config.ts"), logLevel: "warn" });
  await build({ configFile: resolve(root, "web/plan-file.config.ts"), logLevel: "warn" });
}

if (only !== "--web-only") await buildCommand();
if (only !== "--cli-only") await buildPages();
