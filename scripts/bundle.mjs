// How the command is bundled, shared by the package's build and the single executable's: into parts, which are scripts
// of their own, so that what is not used is not even looked at, and a small program that loads them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "rolldown";
import { wrapped } from "./start/loader.mjs";

/** The folder of the project. */
export const root = resolve(import.meta.dirname, "..");

/** The version in package.json. */
export function packageVersion() {
  return JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")).version;
}

/** Bundles the command into the folder `dir`, with these plugins besides our own. */
export async function bundleParts(dir, minify, plugins = []) {
  rmSync(dir, { recursive: true, force: true });
  const bundle = await build({
    input: { main: resolve(root, "src/main.ts"), run: resolve(root, "src/cli/run.ts") },
    platform: "node",
    logLevel: "warn",
    plugins: [leftOut(), ...plugins],
    // Its main file requires parts by names a bundler cannot see; its module build does not.
    resolve: { alias: { "jsonc-parser": resolve(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
    transform: { define: { SALLYPORT_VERSION: JSON.stringify(packageVersion()) } },
    output: {
      dir,
      format: "cjs",
      minify,
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
      // A byte a character, which is read without decoding and takes half the memory.
      charset: "ascii",
      comments: false,
    },
  });
  for (const { fileName, code } of bundle.output) writeFileSync(join(dir, fileName), inBytes(wrapped(code)));
}

/** As it is read; throws where a character would be read as another. */
function inBytes(text) {
  const bytes = Buffer.from(text, "latin1");
  if (bytes.toString("latin1") !== text || bytes.some((byte) => byte > 127))
    throw new Error("A part is not ASCII");
  return bytes;
}

/** Bundles what loads the parts, "package" or "executable", into `file`. */
export function bundleStart(kind, file) {
  return build({
    input: resolve(root, `scripts/start/${kind}.mjs`),
    platform: "node",
    logLevel: "warn",
    output: {
      file,
      format: "cjs",
      minify: "dce-only",
      banner: kind === "package" ? "#!/usr/bin/env node" : "",
    },
  });
}

/** Runs the parts in `folder` through what people run most, and writes what V8 has compiled by then to `cache`. */
export function recordCache(folder, cache) {
  const work = mkdtempSync(join(tmpdir(), "sallyport-record-"));
  // The commands that are run keep to that folder, whatever this machine's person has set.
  const { PATH, SystemRoot } = process.env;
  const env = { PATH, SystemRoot, HOME: work, SERVICE_HOME: join(work, "data"), SERVICE_BROWSER: "none" };
  rmSync(cache, { recursive: true, force: true });
  try {
    const record = resolve(root, "scripts/start/record.mjs");
    // It takes seconds; a machine on which it comes to no end shall not keep the build from its own.
    quietly(process.execPath, [record, folder, cache], { cwd: work, env, timeout: 180_000 });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs a program whose output is of interest only where it fails. */
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
 * Parts of our packages that no path of ours reaches, replaced by nothing: Fastify's JSON schema compilers (bodies are
 * parsed with zod), its logger, its HTTP/2 and HTTPS servers and its trust in other proxies, and the
 * file search of @fastify/static (folders are not listed). They are half of the code that Node would read before a
 * review is on the screen. Versions of plugins are compared when packages are installed, not at every start.
 */
export const LEFT_OUT = {
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
