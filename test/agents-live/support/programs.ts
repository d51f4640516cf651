import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * The tested programs, each with its tested version. `scripts/test-agents.mjs` installs them;
 * `scripts/check-agents.mjs` names a list with other versions.
 */
export const programs = JSON.parse(
  readFileSync(process.env["SALLYPORT_PROGRAMS"] ?? join(import.meta.dirname, "programs.json"), "utf8"),
) as Record<string, Program>;

interface Program {
  readonly package: string;
  readonly version: string;
  readonly entry: string;
  /** The other program that runs it, if not this Node.js. */
  readonly runtime?: string;
}

export const cache =
  process.env["SALLYPORT_AGENTS"] ?? resolve(import.meta.dirname, "../../../.cache/agents");

/** Returns the path of a program's entry. Throws if the program is not installed. */
export function program(name: string): string {
  const found = programs[name];
  if (!found) throw new Error(`no program is called ${name}`);
  const path = join(cache, `${name}-${found.version}`, "node_modules", found.entry);
  if (!existsSync(path)) throw new Error(`${path} is missing: npm run test:agents installs it`);
  return path;
}

/** Returns the command line that starts a program. */
export function commandOf(name: string): readonly [string, ...string[]] {
  const runtime = programs[name]?.runtime;
  return runtime === undefined ? [program(name)] : [program(runtime), program(name)];
}

/** Used in the names of tests, so that the report contains the tested versions. */
export function versionOf(name: string): string {
  return programs[name]?.version ?? "";
}
