import { execFileSync, type SpawnSyncOptions, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder with the command's code cache, as in a data directory. */
    codeCache: string;
  }
}

const COMMAND = resolve(import.meta.dirname, "../../dist/sallyport.js");

const folder = join(tmpdir(), `sallyport-compiled-${process.pid}`);

/** Runs both reviews once, so that commands with other data directories need not compile the same parts again. */
export async function setup(project: TestProject): Promise<void> {
  await mkdir(folder, { recursive: true });
  const data = join(folder, "data");
  const options = {
    cwd: folder,
    input: "# Plan\n",
    env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, SERVICE_HOME: data },
  };
  execFileSync("git", ["init", "--quiet"], options);
  for (const kind of ["plan", "code"]) compileReview(kind, data, options);
  project.provide("codeCache", join(data, "code-cache"));
}

/** Runs a review until it has stored its code cache, on a busy machine with more time. */
function compileReview(kind: string, data: string, options: SpawnSyncOptions): void {
  let output = "";
  for (const seconds of [2, 10, 60]) {
    const args = [COMMAND, "review", kind, "--no-open", "--timeout", String(seconds)];
    output = String(spawnSync(process.execPath, args, options).stderr);
    if (existsSync(join(data, "code-cache"))) return;
  }
  throw new Error(`The built command stored no code cache: ${output}. Run npm run build.`);
}

export const teardown = (): Promise<void> => rm(folder, { recursive: true, force: true });

/** Makes a data directory for the built command that has the code cache of an earlier run. */
export async function makeDataDirectory(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  await cp(inject("codeCache"), join(path, "code-cache"), { recursive: true });
}
