import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readInput } from "../../../src/cli/review/read-input.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("readInput", () => {
  const { signal } = new AbortController();

  it("reads the file named", async () => {
    const path = join(await temporaryFolder(), "plan.md");
    await writeFile(path, "# Größe\0\r\n");
    expect(await readInput(path, signal)).toBe("# Größe\0\r\n");
  });

  it.each(["utf-16le", "utf-16be"])("knows %s by its mark, as PowerShell writes it", async (encoding) => {
    const path = join(await temporaryFolder(), "plan.md");
    const bytes = Buffer.from("\ufeff# Größe 🏰\r\n", "utf16le");
    await writeFile(path, encoding === "utf-16le" ? bytes : bytes.swap16());
    expect(await readInput(path, signal)).toBe("# Größe 🏰\r\n");
  });

  it("says why a file cannot be read", async () => {
    const folder = await temporaryFolder();
    await expect(readInput(folder, signal)).rejects.toThrow(/it is a folder/);
    await expect(readInput(join(folder, "none.md"), signal)).rejects.toMatchObject({
      code: "input",
      exitCode: 2,
    });
  });
});
