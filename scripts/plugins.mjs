// Writes the plugin packages in plugins/ and the marketplace files that list them, from the registry of agents. A test
// compares the committed files.
//   node scripts/plugins.mjs [FOLDER]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { packageVersion, root } from "./bundle.mjs";

const target = resolve(process.argv[2] ?? root);
const folder = mkdtempSync(join(tmpdir(), "sallyport-plugins-"));
try {
  const input = {
    packages: resolve(root, "src/agents/packages/packages.ts"),
    target: resolve(root, "src/agents/packages/plugin-package.ts"),
  };
  const output = { dir: folder, entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" };
  await build({ input, platform: "node", logLevel: "warn", output });
  const { packageFiles } = await import(pathToFileURL(join(folder, "packages.mjs")).href);
  const { publishedTarget } = await import(pathToFileURL(join(folder, "target.mjs")).href);
  rmSync(resolve(target, "plugins"), { recursive: true, force: true });
  for (const { path, content } of await packageFiles(publishedTarget(packageVersion()))) {
    const file = resolve(target, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
