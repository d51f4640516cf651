import { join } from "node:path";
import { expect, it } from "vitest";
import { dataFinding } from "../../src/cli/setup/doctor/disk-and-ports.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("doctor calls a data directory broken whose disk is full or read-only, and well again when it is mended", async () => {
  const disk = await mountSmallDisk(join(await temporaryFolder(), "disk"));
  const finding = () => dataFinding(disk.path, process.platform);
  expect(await finding()).toMatchObject({ state: "ok" });
  await disk.fill();
  expect(await finding()).toMatchObject({ state: "broken", detail: expect.stringContaining("ENOSPC") });
  await disk.free();
  expect(await finding()).toMatchObject({ state: "ok" });
  await disk.setReadOnly(true);
  expect(await finding()).toMatchObject({ state: "broken", detail: expect.stringContaining("EROFS") });
});
