import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { generatedKeyFile, keepNewKey, readGeneratedKey } from "../../../src/config/proxy/generated-key.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("the key that the proxy makes for itself", () => {
  it("is found again, and can be read by its owner alone", async () => {
    const folder = await temporaryFolder();
    expect(await readGeneratedKey(folder)).toBeUndefined();
    const { key, isNew } = await keepNewKey(folder);
    expect(isNew).toBe(true);
    expect(await readGeneratedKey(folder)).toBe(key);
    expect(await readFile(generatedKeyFile(folder), "utf8")).toBe(`${key}\n`);
    expect((await stat(generatedKeyFile(folder))).mode & 0o777).toBe(0o600);
  });

  it("counts as none where the file holds too little to be one", async () => {
    const folder = await temporaryFolder();
    await keepNewKey(folder);
    await writeFile(generatedKeyFile(folder), "short\n");
    expect(await readGeneratedKey(folder)).toBeUndefined();
    const { key, isNew } = await keepNewKey(folder);
    expect([await readGeneratedKey(folder), isNew]).toEqual([key, true]);
  });

  it("is one for all proxies that are started at the same time", async () => {
    const folder = await temporaryFolder();
    const kept = await Promise.all(Array.from({ length: 20 }, () => keepNewKey(folder)));
    const key = await readGeneratedKey(folder);
    expect(new Set(kept.map((each) => each.key))).toEqual(new Set([key]));
    expect(kept.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await readdir(dirname(generatedKeyFile(folder)))).toEqual(["key"]);
  });

  it("reports which file cannot be read, why, and what to do", async () => {
    const folder = await temporaryFolder();
    await mkdir(generatedKeyFile(folder), { recursive: true });
    await expect(readGeneratedKey(folder)).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringContaining(
        `Cannot read the key file ${generatedKeyFile(folder)}: it is a folder`,
      ),
      hint: expect.stringContaining("remove it"),
    });
  });

  it("reports which file cannot be written, why, and what to do", async () => {
    const folder = join(await temporaryFolder(), "data");
    await mkdir(folder);
    await writeFile(dirname(generatedKeyFile(folder)), "in its place");
    await expect(keepNewKey(folder)).rejects.toMatchObject({
      code: "storage",
      message: expect.stringMatching(/Cannot store the new key in .*: E(EXIST|NOTDIR)/),
      hint: expect.stringContaining("SERVICE_HOME"),
    });
  });
});
