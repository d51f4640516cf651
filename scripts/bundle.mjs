// How the command is bundled, shared by the package's build and the single executable's.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "rolldown";

export const root = resolve(import.meta.dirname, "..");

/** Bundles the command; `output` says into what. Resolves to rolldown's output, chunks and their modules. */
export function bundleCommand(output, input = resolve(root, "src/main.ts")) {
  const { version } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
  return build({
    input,
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
 * parsed with zod), its logger, its HTTP/2 and HTTPS servers and its trust in other proxies, and the
 * file search of @fastify/static (folders are not listed). They are half of the code that Node would read before a
 * review is on the screen. Versions of plugins are compared when packages are installed, not at every start.
 */
const LEFT_OUT = {
  "@fastify/ajv-compiler": "{}",
  "@fastify/fast-json-stringify-compiler": "{}",
  "@fastify/proxy-addr": "{}",
  glob: "{}",
  pino: "{}",
  semver: "{ satisfies: () => true }",
};
const SERVERS_LEFT_OUT = new Set(["node:http2", "node:https"]);

function leftOut() {
  const isLeftOut = (id, importer = "") =>
    Object.hasOwn(LEFT_OUT, id) || (SERVERS_LEFT_OUT.has(id) && /[\\/]fastify[\\/]/.test(importer));
  return {
    name: "left-out",
    resolveId: (id, importer) => (isLeftOut(id, importer) ? `\0left-out:${id}` : undefined),
    load(id) {
      const name = id.startsWith("\0left-out:") ? id.slice("\0left-out:".length) : undefined;
      return name === undefined ? undefined : `module.exports = ${LEFT_OUT[name] ?? "{}"};`;
    },
  };
}
