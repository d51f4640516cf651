import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFolder } from "../../src/cli/project-folder.ts";
import { readInput } from "../../src/cli/read-input.ts";
import { checkDataDirectory } from "../../src/review/check-data-directory.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("projectFolder", () => {
  it("is the repository around a folder, a worktree's too, else the folder", async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, "repo", ".git"), { recursive: true });
    await mkdir(join(root, "repo", "src", "deep"), { recursive: true });
    await mkdir(join(root, "worktree", "src"), { recursive: true });
    await writeFile(join(root, "worktree", ".git"), "gitdir: elsewhere");
    expect(projectFolder(join(root, "repo", "src", "deep"))).toBe(join(root, "repo"));
    expect(projectFolder(join(root, "worktree", "src"))).toBe(join(root, "worktree"));
    expect(projectFolder(root)).toBe(root);
  });
});

describe("readInput", () => {
  const { signal } = new AbortController();

  it("reads the file named", async () => {
    const path = join(await temporaryFolder(), "plan.md");
    await writeFile(path, "# Größe\0\r\n");
    expect(await readInput(path, signal)).toBe("# Größe\0\r\n");
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

describe("checkDataDirectory", () => {
  it("makes it, and says what to do where it cannot", async () => {
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
