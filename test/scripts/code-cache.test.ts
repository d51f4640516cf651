import { chmod, mkdir, readdir, rename, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Script } from "node:vm";
import { expect, it } from "vitest";
import { openCodeCache } from "../../scripts/start/code-cache.mjs";
import { createLoader, wrapped } from "../../scripts/start/loader.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hashes = { "main.cjs": "1111" };

/** Runs the command's only part as a start does, and returns whether V8 used the stored code. */
function run(
  data: string,
  part = "exports.text = 'good';",
  known: Readonly<Record<string, string>> = hashes,
) {
  const cache = openCodeCache({ dataDirectory: () => data, hashes: known, minSeconds: 0 });
  let usesCache: boolean | undefined;
  const load = createLoader({
    source: () => wrapped(part),
    cachedData: cache.cachedData,
    compiled(name: string, script: Script) {
      usesCache = script.cachedDataRejected === false;
      cache.compiled(name, script);
    },
    builtin: createRequire(import.meta.url),
    folder: "/parts",
  });
  const loaded = load("main.cjs");
  cache.save();
  return { loaded, usesCache };
}

async function cacheFolder(data: string): Promise<string> {
  const [node = ""] = await readdir(join(data, "code-cache"));
  return join(data, "code-cache", node);
}

async function dataFolder(): Promise<string> {
  const data = join(await temporaryFolder(), "data");
  await mkdir(data, { mode: 0o700 });
  return data;
}

it("keeps what a run compiled, for its user alone, and uses it in the next run", async () => {
  const data = await dataFolder();
  expect(run(data)).toEqual({ loaded: { text: "good" }, usesCache: false });
  const folder = await cacheFolder(data);
  expect(await readdir(folder)).toEqual(["main.cjs-1111"]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, "main.cjs-1111"))).mode & 0o777).toBe(0o600);
  expect(run(data)).toEqual({ loaded: { text: "good" }, usesCache: true });
});

it("does not use what was compiled from another text of the same length", async () => {
  const data = await dataFolder();
  run(data, "exports.text = 'evil';");
  expect(run(data, "exports.text = 'good';", { "main.cjs": "2222" })).toEqual({
    loaded: { text: "good" },
    usesCache: false,
  });
});

it("neither uses nor writes a cache where others can write", async () => {
  for (const path of ["", "code-cache"]) {
    const data = await dataFolder();
    run(data, "exports.text = 'evil';");
    await chmod(join(data, path), 0o777);
    expect(run(data)).toEqual({ loaded: { text: "good" }, usesCache: false });
  }
  const data = await dataFolder();
  run(data, "exports.text = 'evil';");
  await chmod(join(await cacheFolder(data), "main.cjs-1111"), 0o666);
  expect(run(data).loaded).toEqual({ text: "good" });
});

it("follows no link", async () => {
  const data = await dataFolder();
  run(data, "exports.text = 'evil';");
  const folder = await cacheFolder(data);
  await rename(join(folder, "main.cjs-1111"), join(data, "elsewhere"));
  await symlink(join(data, "elsewhere"), join(folder, "main.cjs-1111"));
  expect(run(data).loaded).toEqual({ text: "good" });
  await rename(join(data, "code-cache"), join(data, "moved"));
  await symlink(join(data, "moved"), join(data, "code-cache"));
  expect(run(data)).toEqual({ loaded: { text: "good" }, usesCache: false });
});

it("does without where the cache is damaged, cannot be written, or the data directory is missing", async () => {
  const data = await dataFolder();
  expect(run(join(data, "missing")).loaded).toEqual({ text: "good" });
  expect(await readdir(data)).toEqual([]);
  run(data);
  await writeFile(join(await cacheFolder(data), "main.cjs-1111"), "damaged");
  expect(run(data).loaded).toEqual({ text: "good" });
  const blocked = await dataFolder();
  await writeFile(join(blocked, "code-cache"), "a file");
  expect(run(blocked).loaded).toEqual({ text: "good" });
});

it("removes what other versions left a month ago", async () => {
  const data = await dataFolder();
  run(data);
  const folder = await cacheFolder(data);
  await utimes(join(folder, "main.cjs-1111"), 0, 0);
  run(data, "exports.text = 'next';", { "main.cjs": "2222" });
  expect(await readdir(folder)).toEqual(["main.cjs-2222"]);
});
