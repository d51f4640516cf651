import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { onFileChange } from "../../../src/cli/proxy/watch-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Resolves at the next change that is told. */
function watching(path: string): { change: () => Promise<void> } {
  let told = 0;
  let seen = 0;
  let wake = () => {};
  onTestFinished(
    onFileChange(path, () => {
      told += 1;
      wake();
    }),
  );
  return {
    async change() {
      while (told === seen)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      seen = told;
    },
  };
}

it("tells of a file that is put in the place of another", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "config.json");
  await writeFile(path, "{}");
  const { change } = watching(path);
  await writeFile(join(folder, "new"), "{ }");
  await rename(join(folder, "new"), path);
  await expect(change()).resolves.toBeUndefined();
});

it("tells of the first file in a folder that was not there", async () => {
  const path = join(await temporaryFolder(), "not/yet/config.json");
  const { change } = watching(path);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, "{}");
  await expect(change()).resolves.toBeUndefined();
});
