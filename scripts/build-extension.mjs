// Builds the extension for VS Code: extensions/vscode/dist/extension.cjs.
//   node scripts/build-extension.mjs [--package]
// --package also writes extensions/vscode/dist/sallyport.vsix with @vscode/vsce, which needs Node.js 22.
import { copyFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "rolldown";
import { quietly, root } from "./bundle.mjs";
import { installTool } from "./editor-tools.mjs";

const folder = resolve(root, "extensions/vscode");

await build({
  input: resolve(folder, "src/extension.ts"),
  platform: "node",
  external: ["vscode"],
  logLevel: "warn",
  output: {
    file: resolve(folder, "dist/extension.cjs"),
    format: "cjs",
    codeSplitting: false,
    minify: "dce-only",
  },
});

if (process.argv.includes("--package")) {
  copyFileSync(resolve(root, "LICENSE"), resolve(folder, "LICENSE"));
  const node = Number(process.versions.node.split(".")[0]) >= 22 ? process.execPath : installTool("node");
  const out = resolve(folder, "dist/sallyport.vsix");
  quietly(node, [installTool("vsce"), "package", "--no-dependencies", "--out", out], { cwd: folder });
}
