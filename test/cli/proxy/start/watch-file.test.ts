import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fileState, onFileChange } from "../../../../src/cli/proxy/start/watch-file.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** Resolves at the next reported change. */
function watching(path: string, since = fileState(path)): { change: () => Promise<void> } {
  let changes = 0;
  let seen = 0;
  let wake = () => {};
  onTestFinished(
    onFileChange(path, since, () => {
      changes += 1;
      wake();
    }),
  );
  return {
    async change() {
      while (changes === seen)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      seen = changes;
    },
  };
}

it("reports a file that replaces another", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "config.json");
  await writeFile(path, "{}");
  const { change } = watching(path);
  await writeFile(join(folder, "new"), "{ }");
  await rename(join(folder, "new"), path);
  await expect(change()).resolves.toBeUndefined();
});

it("reports the first file in a new folder", async () => {
  const path = join(await temporaryFolder(), "not/yet/config.json");
  const { change } = watching(path);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, "{}");
  await expect(change()).resolves.toBeUndefined();
});

it("reports a change between reading and watching the file", async () => {
  const path = join(await temporaryFolder(), "config.json");
  await writeFile(path, "{}");
  const since = fileState(path);
  await writeFile(path, "{ }");
  const { change } = watching(path, since);
  await expect(change()).resolves.toBeUndefined();
});

it("reports a save of a link's target", async () => {
  const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
  const path = join(folder, "config.json");
  await writeFile(join(elsewhere, "mine.json"), "{}");
  await symlink(join(elsewhere, "mine.json"), path);
  const { change } = watching(path);
  await writeFile(join(elsewhere, "mine.json"), "{ }");
  await expect(change()).resolves.toBeUndefined();
});

it("reports a new version from Kubernetes, which replaces one link to all files", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "config.json");
  for (const version of ["..1", "..2"]) {
    await mkdir(join(folder, version));
    await writeFile(join(folder, version, "config.json"), "{}");
  }
  await symlink("..1", join(folder, "..data"));
  await symlink("..data/config.json", path);
  const { change } = watching(path);
  await symlink("..2", join(folder, "..new"));
  await rename(join(folder, "..new"), join(folder, "..data"));
  await expect(change()).resolves.toBeUndefined();
});

it("treats an unreadable file as missing", async () => {
  const path = join(await temporaryFolder(), "config.json");
  await symlink(path, path);
  expect(fileState(path)).toBe("");
  expect(fileState("")).toBe("");
});
