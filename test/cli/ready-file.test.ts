import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openReadyFile } from "../../src/cli/ready-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the ready file", () => {
  it("contains the server's address and leaves no other file", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "ready.json");
    await (await openReadyFile(path)).write("http://localhost:4711", 4711);
    const ready = { url: "http://localhost:4711", port: 4711, pid: process.pid };
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual(ready);
    expect(await readdir(folder)).toEqual(["ready.json"]);
  });

  it("is replaced atomically: an open old file can be read to its end", async () => {
    const path = join(await temporaryFolder(), "ready.json");
    await (await openReadyFile(path)).write("http://localhost:1", 1);
    const old = await open(path);
    await (await openReadyFile(path)).write("http://localhost:2", 2);
    expect(JSON.parse(await old.readFile("utf8")).port).toBe(1);
    await old.close();
  });

  it("reports an unwritable file with the reason and the remedy before the URL is printed", async () => {
    const path = join(await temporaryFolder(), "missing", "ready.json");
    await expect(openReadyFile(path)).rejects.toMatchObject({
      message: expect.stringContaining(`Cannot write the ready file ${path}: ENOENT`),
      hint: expect.stringContaining("--ready-file"),
    });
  });
});
