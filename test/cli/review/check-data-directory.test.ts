import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkDataDirectory } from "../../../src/cli/review/run.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("checkDataDirectory", () => {
  it("creates the folder, and states the remedy if it cannot", async () => {
    const folder = await temporaryFolder();
    await checkDataDirectory(join(folder, "a", "b"));
    await checkDataDirectory(join(folder, "a", "b"));
    await writeFile(join(folder, "file"), "");
    const failure = checkDataDirectory(join(folder, "file", "data"));
    await expect(failure).rejects.toMatchObject({
      code: "storage",
      hint: expect.stringContaining("SERVICE_HOME"),
    });
  });
});
