import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { frontMatter, quoted } from "../../../src/review/notes/front-matter.ts";
import { noteAddress, saveToNoteApp } from "../../../src/review/notes/save-to-note-app.ts";
import { saveToVault } from "../../../src/review/notes/save-to-vault.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const plan = "# Dig: the tunnel\n\ntext\n";
const noon = new Date(2026, 10, 21, 12, 5);

async function vault() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "vault"));
  await mkdir(join(folder, "outside"));
  return { vaultPath: join(folder, "vault"), outside: join(folder, "outside") };
}

describe("saveToVault", () => {
  it("writes a note named after title and time, front matter first", async () => {
    const { vaultPath } = await vault();
    const path = await saveToVault({ vaultPath, plan, tags: ["plan"] }, noon);
    expect(path).toBe(join(vaultPath, "Dig the tunnel - 2026-11-21 12-05.md"));
    expect(await readFile(path, "utf8")).toBe(
      `---\ncreated: ${noon.toISOString()}\nsource: sallyport\ntags:\n  - "plan"\n---\n\n${plan}`,
    );
  });

  it("makes the folder, and overwrites nothing within a minute", async () => {
    const { vaultPath } = await vault();
    const note = { vaultPath, plan, folder: "Pläne/by agents" };
    const paths = [await saveToVault(note, noon), await saveToVault(note, noon)];
    expect(dirname(paths[0] ?? "")).toBe(join(vaultPath, "Pläne", "by agents"));
    expect(paths.map((path) => basename(path))).toEqual([
      "Dig the tunnel - 2026-11-21 12-05.md",
      "Dig the tunnel - 2026-11-21 12-05-2.md",
    ]);
  });

  it.each(["..", "../outside", "notes/../../outside", "/etc", "way out", "way out/deeper/still"])(
    "does not leave the vault by the folder %j",
    async (folder) => {
      const { vaultPath, outside } = await vault();
      await symlink(outside, join(vaultPath, "way out"));
      await expect(saveToVault({ vaultPath, plan, folder })).rejects.toThrow(/vault/);
      expect(await readdir(outside)).toEqual([]);
    },
  );

  it("may be a link itself", async () => {
    const { vaultPath, outside } = await vault();
    await symlink(outside, join(vaultPath, "linked"));
    await saveToVault({ vaultPath: join(vaultPath, "linked"), plan });
    expect(await readdir(outside)).toHaveLength(1);
  });

  it("fails where there is no vault", async () => {
    const { vaultPath } = await vault();
    await writeFile(join(vaultPath, "file"), "");
    await expect(saveToVault({ vaultPath: join(vaultPath, "none"), plan })).rejects.toThrow();
    await expect(saveToVault({ vaultPath: join(vaultPath, "file"), plan })).rejects.toThrow(/not a folder/);
  });
});

describe("front matter", () => {
  it.each(['"]\nowned: yes', "a: b # c", "'single'", "---", "- item", "\\", "\u2028x\u0085"])(
    "keeps %j on one line, in quotes",
    (tag) => {
      const lines = frontMatter({ created: noon, tags: [tag] }).split("\n");
      expect(lines).toHaveLength(7);
      expect(lines[4]).toMatch(/^ {2}- "[^\n\u0085\u2028]*"$/);
      expect(JSON.parse(quoted(tag))).toBe(tag);
    },
  );

  it("has an empty list without tags", () => {
    expect(frontMatter({ created: noon, tags: [] })).toContain("\ntags: []\n---\n");
  });
});

describe("the note application", () => {
  it("gets the plan as text, whatever is in it", () => {
    const address = new URL(noteAddress('# A & B\n"; rm -rf / #&open_note=yes'));
    expect(address.protocol).toBe("bear:");
    expect(address.searchParams.get("title")).toBe("A & B");
    expect(address.searchParams.get("text")).toBe('# A & B\n"; rm -rf / #&open_note=yes');
    expect(address.searchParams.getAll("open_note")).toEqual(["no"]);
  });

  it("is not there on other systems", async () => {
    await expect(saveToNoteApp(plan, "linux")).rejects.toThrow(/macOS/);
  });
});
