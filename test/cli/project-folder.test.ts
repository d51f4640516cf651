import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFolder } from "../../src/cli/project-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("projectFolder", () => {
  it("returns the repository that contains a folder, also for a worktree, else the folder", async () => {
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
