import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import fastCheck from "fast-check";
import { describe, expect, it } from "vitest";
import { isWithin } from "../../src/review/is-within.ts";
import { expandFolder } from "../../src/review/plan/save/save-folder.ts";
import { savePlan } from "../../src/review/plan/save/save-plan.ts";
import { frontMatter, quoted, saveToVault } from "../../src/review/plan/save/save-to-vault.ts";
import { planServer } from "../support/plan-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const plan = "# Dig: the tunnel\n\ntext\n";
const noon = new Date(2026, 10, 21, 12, 5);

async function vault() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "vault"));
  await mkdir(join(folder, "outside"));
  return { vaultPath: join(folder, "vault"), outside: join(folder, "outside") };
}

describe("R12 a note in a vault", () => {
  it.each(["..", "../outside", "notes/../../outside", "/etc", "way out", "way out/deeper/still"])(
    "does not leave the vault by the folder %j",
    async (folder) => {
      const { vaultPath, outside } = await vault();
      await symlink(outside, join(vaultPath, "way out"));
      await expect(saveToVault({ vaultPath, plan, folder })).rejects.toThrow(/vault/);
      expect(await readdir(outside)).toEqual([]);
    },
  );

  it("cannot leave the vault through its folder", async () => {
    const { vaultPath, outside } = await vault();
    await symlink(outside, join(vaultPath, "way out"));
    const part = fastCheck.constantFrom("..", ".", "a", "way out", "", " ", "~", "\\", "\0", "/");
    await fastCheck.assert(
      fastCheck.asyncProperty(fastCheck.array(part, { maxLength: 5 }), async (parts) => {
        const path = await saveToVault({ vaultPath, plan, folder: parts.join("/") }).catch(() => undefined);
        expect(path === undefined || isWithin(vaultPath, path)).toBe(true);
      }),
      { numRuns: 150 },
    );
    expect(await readdir(outside)).toEqual([]);
  });
});

describe("R12 front matter", () => {
  it.each(['"]\nowned: yes', "a: b # c", "'single'", "---", "- item", "\\", "\u2028x\u0085"])(
    "keeps %j on one line, in quotes",
    (tag) => {
      const lines = frontMatter({ created: noon, tags: [tag] }).split("\n");
      expect(lines).toHaveLength(7);
      expect(lines[4]).toMatch(/^ {2}- "[^\n\u0085\u2028]*"$/);
      expect(JSON.parse(quoted(tag))).toBe(tag);
    },
  );

  it("has an empty list if there are no tags", () => {
    expect(frontMatter({ created: noon, tags: [] })).toContain("\ntags: []\n---\n");
  });
});

describe("R12 the folder for saved plans", () => {
  const expand = (path: string) => expandFolder(path, "/home/me", "planSave.customPath");

  it.each(["plans", "./plans", "../plans", "~bob/plans", "", "/a\0b", "/repo/.git/hooks", "~/repo/.GIT"])(
    "refuses %j",
    (path) => {
      expect(() => expand(path)).toThrowError(/planSave.customPath/);
    },
  );
});

describe("R12 a saved plan", () => {
  it.each([
    "# ../../../etc/cron.d/x",
    "# /etc/passwd",
    "# ..",
    "# C:\\x",
    "# a\0b",
    "# .git/hooks/x",
    "# CON",
    `# ${"x".repeat(999)}`,
  ])("lies in its folder, whatever its title is: %j", async (title) => {
    const folder = await temporaryFolder();
    const path = await savePlan({ plan: title, decision: { kind: "approve" }, folder, isPrivate: true });
    expect(dirname(path)).toBe(folder);
    expect(basename(path)).toMatch(/^[\p{L}\p{N}\p{M}-]+-approved\.md$/u);
    expect(await readFile(path, "utf8")).toBe(`${title}\n`);
  });

  it("overwrites no file, not even through a link", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "precious"), "precious");
    await symlink(join(folder, "precious"), join(folder, "plan-approved.md"));
    const path = await savePlan({ plan: "# Plan", decision: { kind: "approve" }, folder, isPrivate: true });
    expect(basename(path)).toBe("plan-approved-2.md");
    expect(await readFile(join(folder, "precious"), "utf8")).toBe("precious");
  });

  it("is rejected without a decision if its folder is invalid", async () => {
    const { context, post } = await planServer();
    for (const customPath of ["plans", "../plans", "/repo/.git/hooks", "~x/plans"])
      expect((await post("/api/approve", { planSave: { enabled: true, customPath } })).statusCode).toBe(400);
    for (const vaultPath of ["vault", "../vault"])
      expect((await post("/api/approve", { vaultapp: { vaultPath, plan } })).statusCode).toBe(400);
    expect(context.session.phase).toBe("waiting");
  });
});
