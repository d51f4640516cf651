import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findVaults, vaultConfigurations } from "../../../../src/review/plan/save/find-vaults.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("vaultConfigurations", () => {
  it("returns the list's path on each system", () => {
    const home = "/home/me";
    expect(vaultConfigurations({ home }, "darwin")).toEqual([
      "/home/me/Library/Application Support/obsidian/obsidian.json",
    ]);
    expect(vaultConfigurations({ home, configHome: "/roaming" }, "win32")).toEqual([
      "/roaming/obsidian/obsidian.json",
    ]);
    expect(vaultConfigurations({ home }, "linux")).toEqual([
      "/home/me/.config/obsidian/obsidian.json",
      "/home/me/.var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
      "/home/me/snap/obsidian/current/.config/obsidian/obsidian.json",
    ]);
    expect(vaultConfigurations({ home, configHome: "/xdg" }, "linux")[0]).toBe("/xdg/obsidian/obsidian.json");
  });
});

describe("findVaults", () => {
  async function withLists(...contents: readonly string[]) {
    const home = await temporaryFolder();
    const files = vaultConfigurations({ home }, "linux");
    for (const [index, content] of contents.entries()) {
      const file = files[index] ?? "";
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content.replaceAll("HOME", home));
    }
    return { home, find: () => findVaults({ home }, "linux") };
  }

  it("lists the existing vaults of every installation, each once", async () => {
    const list =
      '{"vaults": {"a": {"path": "HOME/one"}, "b": {"path": "HOME/gone"}, "c": {"path": "HOME/file"}}}';
    const { home, find } = await withLists(list, list.replace("gone", "two"));
    await mkdir(join(home, "one"));
    await mkdir(join(home, "two"));
    await writeFile(join(home, "file"), "");
    expect(await find()).toEqual([join(home, "one"), join(home, "two")]);
  });

  it.each(["{broken", '{"vaults": 7}', '{"vaults": {"a": null, "b": {"path": 5}, "c": {}}}', "[]", ""])(
    "finds none in %j",
    async (content) => {
      expect(await (await withLists(content)).find()).toEqual([]);
    },
  );

  it("returns none without the application", async () => {
    expect(await (await withLists()).find()).toEqual([]);
  });
});
