// Bundles the command for the package and the executable: separate scripts (parts), so that unused code is not loaded,
// and a small loader.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "rolldown";
import { wrapped } from "./start/loader.mjs";

export const root = resolve(import.meta.dirname, "..");

/** Returns the version in package.json. */
export function packageVersion() {
  return JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")).version;
}

/** Bundles the command into the folder `dir`, with additional plugins. */
export async function bundleParts(dir, minify, plugins = []) {
  rmSync(dir, { recursive: true, force: true });
  const bundle = await build({
    input: { main: resolve(root, "src/main.ts"), run: resolve(root, "src/cli/run.ts") },
    platform: "node",
    logLevel: "warn",
    plugins: [leftOut(), ...plugins],
    // The main file of jsonc-parser requires modules by computed names; its ES module build does not.
    resolve: {
      alias: {
        "jsonc-parser": resolve(root, "node_modules/jsonc-parser/lib/esm/main.js"),
        "undici/lib": resolve(root, "node_modules/undici/lib"),
        undici: resolve(root, "scripts/start/undici.cjs"),
      },
    },
    transform: { define: { SALLYPORT_VERSION: JSON.stringify(packageVersion()) } },
    output: {
      dir,
      format: "cjs",
      minify,
      // The loader runs parts as plain scripts, which cannot import. Only imports of built-in modules are affected.
      dynamicImportInCjs: false,
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
      // ASCII, which V8 reads without decoding and stores in half the memory.
      charset: "ascii",
      comments: false,
    },
  });
  for (const { fileName, code } of bundle.output) writeFileSync(join(dir, fileName), inBytes(wrapped(code)));
}

/** Returns the bytes of the code; throws if it is not ASCII. */
function inBytes(text) {
  const bytes = Buffer.from(text, "latin1");
  if (bytes.toString("latin1") !== text || bytes.some((byte) => byte > 127))
    throw new Error("A part is not ASCII");
  return bytes;
}

/** Bundles the first script of a "package" or "executable", which loads the parts in `parts`, into `file`. */
export function bundleStart(kind, file, parts) {
  const hashes = readdirSync(parts)
    .sort()
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(parts, name)))
        .digest("hex")
        .slice(0, 32),
    ]);
  return build({
    input: resolve(root, `scripts/start/${kind}.mjs`),
    platform: "node",
    logLevel: "warn",
    transform: { define: { SALLYPORT_PARTS: JSON.stringify(Object.fromEntries(hashes)) } },
    output: {
      file,
      format: "cjs",
      minify: "dce-only",
      banner: kind === "package" ? "#!/usr/bin/env node" : "",
    },
  });
}

/** Runs a program and prints its output only if it fails. */
export function quietly(program, args, options = {}) {
  try {
    execFileSync(program, args, { ...options, stdio: "pipe" });
  } catch (error) {
    throw new Error(
      `${[program, ...args].join(" ")} failed: ${error.message}\n${error.stdout}${error.stderr}`,
    );
  }
}

/**
 * Unused modules of dependencies, with the code that replaces each: Fastify's JSON schema compilers (bodies are parsed
 * with zod), its logger and proxy trust, and the file search of @fastify/static (folders are not listed). Together
 * with `SERVERS_LEFT_OUT`, these modules are half of the code that Node.js would otherwise load before a review is on
 * the screen. Plugin versions (semver) are checked when packages are installed, not at every start.
 */
export const LEFT_OUT = {
  "@fastify/ajv-compiler": "{}",
  "@fastify/fast-json-stringify-compiler": "{}",
  "@fastify/proxy-addr": "{}",
  glob: "{}",
  pino: "{}",
  semver: "{ satisfies: () => true }",
};
/** Built-in modules that Fastify imports and does not use here. They are replaced by empty modules. */
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
