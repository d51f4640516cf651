import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { saveToVault } from "../../../../src/review/plan/save/save-to-vault.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

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

  it("creates the folder and overwrites nothing within the same minute", async () => {
    const { vaultPath } = await vault();
    const note = { vaultPath, plan, folder: "Pläne/by agents" };
    const paths = [await saveToVault(note, noon), await saveToVault(note, noon)];
    expect(dirname(paths[0] ?? "")).toBe(join(vaultPath, "Pläne", "by agents"));
    expect(paths.map((path) => basename(path))).toEqual([
      "Dig the tunnel - 2026-11-21 12-05.md",
      "Dig the tunnel - 2026-11-21 12-05-2.md",
    ]);
  });

  it("accepts a vault that is a link", async () => {
    const { vaultPath, outside } = await vault();
    await symlink(outside, join(vaultPath, "linked"));
    await saveToVault({ vaultPath: join(vaultPath, "linked"), plan });
    expect(await readdir(outside)).toHaveLength(1);
  });

  it("fails if there is no vault", async () => {
    const { vaultPath } = await vault();
    await writeFile(join(vaultPath, "file"), "");
    await expect(saveToVault({ vaultPath: join(vaultPath, "none"), plan })).rejects.toThrow();
    await expect(saveToVault({ vaultPath: join(vaultPath, "file"), plan })).rejects.toThrow(/not a folder/);
  });
});
