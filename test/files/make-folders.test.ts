import { mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolders } from "../../src/files/make-folders.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** An error of concurrent creation was seen only in some rounds, so there are many. */
const ROUNDS = 100;

it("makes what is missing and tells the outermost", async () => {
  const folder = await temporaryFolder();
  expect(await makeFolders(join(folder, "a/b/c"), 0o700)).toBe(join(folder, "a"));
  for (const made of ["a", "a/b", "a/b/c"])
    expect((await stat(join(folder, made))).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o700);
  expect(await makeFolders(join(folder, "a/b/c"))).toBeUndefined();
  expect(await makeFolders(join(folder, "a/d"))).toBe(join(folder, "a/d"));
});

it("takes it that others make the same meanwhile", async () => {
  const folder = await temporaryFolder();
  for (let round = 0; round < ROUNDS; round += 1) {
    const path = join(folder, `${round}/b/c/d`);
    const made = await Promise.all(Array.from({ length: 20 }, () => makeFolders(path)));
    expect((await stat(path)).isDirectory()).toBe(true);
    expect(made).toContain(join(folder, `${round}`));
  }
});

it("goes through a link to a folder, and says what stands in the way of one", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "real"));
  await symlink(join(folder, "real"), join(folder, "link"), "junction");
  expect(await makeFolders(join(folder, "link/a"))).toBe(join(folder, "link/a"));
  expect(await makeFolders(join(folder, "link"))).toBeUndefined();
  await symlink(join(folder, "nowhere"), join(folder, "dangling"), "junction");
  await expect(makeFolders(join(folder, "dangling/a/b"))).rejects.toMatchObject({ code: "EEXIST" });
  await writeFile(join(folder, "file"), "");
  await expect(makeFolders(join(folder, "file"))).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeFolders(join(folder, "file/a/b"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

it.runIf(process.platform === "linux")(
  "comes to an end where a folder that is there takes none",
  async () => {
    await expect(makeFolders("/proc/nowhere")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(makeFolders("/proc/nowhere/plans/mine")).rejects.toMatchObject({ code: "ENOENT" });
  },
);
