import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readInput } from "../../../src/cli/review/read-input.ts";
import { PNG } from "../../support/images.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("readInput", () => {
  const { signal } = new AbortController();

  it("reads the given file", async () => {
    const path = join(await temporaryFolder(), "plan.md");
    await writeFile(path, "# Größe\0\r\n");
    expect(await readInput(path, signal)).toBe("# Größe\0\r\n");
  });

  it.each(["utf-16le", "utf-16be"])(
    "detects %s by its byte order mark, as PowerShell writes it",
    async (encoding) => {
      const path = join(await temporaryFolder(), "plan.md");
      const bytes = Buffer.from("\ufeff# Größe 🏰\r\n", "utf16le");
      await writeFile(path, encoding === "utf-16le" ? bytes : bytes.swap16());
      expect(await readInput(path, signal)).toBe("# Größe 🏰\r\n");
    },
  );

  it("reports converted UTF-16 and bytes that are not UTF-8", async () => {
    const path = join(await temporaryFolder(), "plan.md");
    const notes: string[] = [];
    const read = async (bytes: Buffer) => {
      await writeFile(path, bytes);
      return readInput(path, signal, (text) => notes.push(text));
    };
    await read(Buffer.from("\ufeff# Größe\r\n", "utf16le"));
    await read(Buffer.from("# Gr\xf6\xdfe, and more of it\n", "latin1"));
    await read(Buffer.from("# caf\xe9\n", "latin1"));
    await read(Buffer.from("# Größe \ufffd\n"));
    expect(notes).toEqual([
      `Converted ${path} from UTF-16 to UTF-8.`,
      `${path} is not valid UTF-8: 2 characters are shown as \ufffd.`,
      `${path} is not valid UTF-8: 1 character is shown as \ufffd.`,
    ]);
  });

  it.each([
    [
      "UTF-16 without a mark",
      Buffer.from("# Plan\n\nDo it.\n", "utf16le"),
      /UTF-16 without a byte order mark/,
    ],
    ["UTF-16 of two letters", Buffer.from("ab", "utf16le"), /UTF-16 without a byte order mark/],
    ["an image", Buffer.concat([PNG, Buffer.from([0, 1, 2, 3, 0xff, 0xfe])]), /binary/],
    ["what only begins like UTF-16", Buffer.from([0xff, 0xfe, 0x00, 0x62, 0x61, 0x64]), /binary/],
    ["a program", Buffer.from("\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0", "latin1"), /binary/],
  ])("refuses %s", async (_what, bytes, reason) => {
    const path = join(await temporaryFolder(), "plan.md");
    await writeFile(path, bytes);
    await expect(readInput(path, signal)).rejects.toMatchObject({
      code: "input",
      message: expect.stringMatching(reason),
    });
  });

  it("states why a file cannot be read", async () => {
    const folder = await temporaryFolder();
    await expect(readInput(folder, signal)).rejects.toThrow(/it is a folder/);
    await expect(readInput(join(folder, "none.md"), signal)).rejects.toMatchObject({
      code: "input",
      exitCode: 2,
    });
  });
});
