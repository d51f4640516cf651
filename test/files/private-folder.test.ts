import { readlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { makePrivateFolder } from "../../src/files/private-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("puts each folder that is made on disk in the folder above it", async () => {
  const root = await temporaryFolder();
  const probe = await open(root, "r");
  onTestFinished(() => probe.close());
  const synced: string[] = [];
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  const { sync } = handles;
  const spy = vi.spyOn(handles, "sync").mockImplementation(function (this: FileHandle) {
    synced.push(process.platform === "linux" ? readlinkSync(`/proc/self/fd/${this.fd}`) : "");
    return sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  await makePrivateFolder(join(root, "a", "b", "c"));
  const expected = [join(root, "a", "b"), join(root, "a"), root];
  expect(synced).toEqual(process.platform === "linux" ? expected : ["", "", ""]);
  await makePrivateFolder(join(root, "a", "b", "c"));
  expect(synced).toHaveLength(3);
});
