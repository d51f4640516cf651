import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { expandFolder } from "../../../../src/review/plan/save/save-folder.ts";
import { savedText, savePlan } from "../../../../src/review/plan/save/save-plan.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const plan = "# Dig the tunnel\n\ntext\n";
const approve = { kind: "approve" } as const;

describe("savePlan", () => {
  it("names the file after the title and the decision, and never overwrites", async () => {
    const folder = join(await temporaryFolder(), "plans");
    const save = (feedback: string) =>
      savePlan({ plan, decision: { kind: "deny", feedback }, folder, isPrivate: true });
    const paths = [await save("one"), await save("two"), await save("three")];
    expect(paths.map((path) => basename(path))).toEqual([
      "dig-the-tunnel-denied.md",
      "dig-the-tunnel-denied-2.md",
      "dig-the-tunnel-denied-3.md",
    ]);
    expect(await readFile(paths[0] ?? "", "utf8")).toContain("one");
  });

  it("gives each of many concurrent plans a unique name and leaves no other files", async () => {
    const folder = await temporaryFolder();
    const saves = Array.from({ length: 20 }, () =>
      savePlan({ plan, decision: approve, folder, isPrivate: false }),
    );
    const paths = await Promise.all(saves);
    expect(new Set(paths).size).toBe(20);
    expect((await readdir(folder)).length).toBe(20);
  });

  it.skipIf(process.platform === "win32")("keeps its own folder for its owner alone", async () => {
    const folder = join(await temporaryFolder(), "data", "plans");
    const path = await savePlan({ plan, decision: approve, folder, isPrivate: true });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("fails if the folder cannot be created", async () => {
    const file = join(await temporaryFolder(), "file");
    await writeFile(file, "");
    const saving = savePlan({ plan, decision: approve, folder: join(file, "plans"), isPrivate: false });
    await expect(saving).rejects.toThrow();
  });
});

describe("savedText", () => {
  it("contains the approved plan, followed by the feedback", () => {
    expect(savedText(plan, { kind: "deny", feedback: "no" })).toBe(`${plan}\n---\n\n## Feedback\n\nno\n`);
    expect(savedText(plan, approve)).toBe(plan);
    expect(savedText(plan, { kind: "approve", editedPlan: "# New" })).toBe("# New\n");
  });
});

describe("expandFolder", () => {
  const expand = (path: string) => expandFolder(path, "/home/me", "planSave.customPath");

  it("accepts absolute paths and ~", () => {
    expect(expand("/plans/../kept")).toBe("/kept");
    expect(expand("~")).toBe("/home/me");
    expect(expand("~/my plans")).toBe("/home/me/my plans");
  });
});
