// How the command is bundled, shared by the package's build and the single executable's.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "rolldown";

export const root = resolve(import.meta.dirname, "..");

/** Bundles src/main.ts; `output` says into what. Resolves to rolldown's output, chunks and their modules. */
export function bundleCommand(output) {
  const { version } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
  return build({
    input: resolve(root, "src/main.ts"),
    platform: "node",
    logLevel: "warn",
    // Its main file requires parts by names a bundler cannot see; its module build does not.
    resolve: { alias: { "jsonc-parser": resolve(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
    transform: { define: { SALLYPORT_VERSION: JSON.stringify(version) } },
    output,
  });
}
