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
    plugins: [leftOut()],
    // Its main file requires parts by names a bundler cannot see; its module build does not.
    resolve: { alias: { "jsonc-parser": resolve(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
    transform: { define: { SALLYPORT_VERSION: JSON.stringify(version) } },
    output,
  });
}

/**
 * Parts of our packages that no path of ours reaches, replaced by nothing: Fastify's JSON schema compilers (bodies are
 * parsed with zod) and the file search of @fastify/static (folders are not listed). They are a third of the code that
 * Node would read before a review is on the screen.
 */
function leftOut() {
  const names = new Set(["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler", "glob"]);
  return {
    name: "left-out",
    resolveId: (id) => (names.has(id) ? `\0left-out:${id}` : undefined),
    load: (id) => (id.startsWith("\0left-out:") ? "module.exports = {};" : undefined),
  };
}
