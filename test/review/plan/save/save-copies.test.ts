import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { saveCopies } from "../../../../src/review/plan/save/save-copies.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

it("describes which copy was not saved, and why", async () => {
  const parent = await temporaryFolder();
  const inTheWay = join(parent, "a file");
  await writeFile(inTheWay, "");
  const report = await saveCopies(
    {
      folder: { path: inTheWay, isPrivate: false },
      vault: { vaultPath: join(parent, "none"), plan: "# Plan" },
    },
    { kind: "approve" },
    { plan: "# Plan" },
  );
  expect(report).toEqual({
    warnings: expect.arrayContaining([
      `The plan was not saved in ${inTheWay}: another file or folder has that name. Choose another folder in the save settings.`,
      `The plan was not saved to the vault ${join(parent, "none")}: no such folder. Choose another vault in the save settings.`,
    ]),
  });
});
