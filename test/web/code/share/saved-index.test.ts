import { describe, expect, it } from "vitest";
import type { DiffFile, DiffIndex } from "../../../../src/review/api-types.ts";
import { toSavedIndex } from "../../../../web/code/share/saved-index.ts";

const file: DiffFile = {
  index: 0,
  path: "src/a.ts",
  status: "modified",
  additions: 1,
  deletions: 0,
  binary: false,
  generated: false,
  patchSize: 99,
  fingerprint: "f",
};

const index: DiffIndex = {
  gitRef: "/home/ada/before /home/ada/shop",
  origin: "origin_b",
  diffType: "files",
  source: "files",
  gitContext: {
    currentBranch: "branch-of-ada",
    defaultBranch: "main",
    diffOptions: [
      { id: "files", label: "shop compared" },
      { id: "other", label: "option-of-ada" },
    ],
    moreDiffOptions: [],
  },
  sharingEnabled: true,
  diffId: "diff-1",
  sessionId: "session-of-ada",
  reviewId: "review-of-ada",
  caller: {
    name: "agent-of-ada",
    cwd: "/home/ada/shop",
    project: "project-of-ada",
    approvalNote: "feedback",
    takesEditedPlan: false,
    takesPermissionMode: false,
    takesAgentSwitch: true,
    deadline: "deadline-of-ada",
  },
  repository: { name: "shop", root: "/home/ada/shop" },
  paths: ["path-of-ada"],
  editorLink: "editor-of-ada://{path}",
  files: [file],
  omitted: { elsewhere: { count: 1, paths: ["/home/ada/worktree"] } },
  opening: [{ index: 0, patch: "patch-of-ada" }],
  settings: {
    theme: "dark",
    planSave: { enabled: true, customPath: "/home/ada/plans" },
    vaultapp: { enabled: true, vaultPath: "/home/ada/vault" },
  },
  ask: { model: "model-of-ada" },
  live: { round: 1, agent: { name: "live-agent-of-ada", state: "waiting" } },
};

describe("the index of a saved page", () => {
  it("has no path, setting or name of the machine", () => {
    const saved = toSavedIndex(index, ["é"]);
    expect(JSON.stringify(saved)).not.toMatch(/ada|dark/);
    expect(saved.settings).toEqual({ theme: "system", planSave: { enabled: false } });
  });

  it("has the files, of which only the hunks are known, and the label of the diff", () => {
    const saved = toSavedIndex(index, ["é"]);
    expect(saved.files).toEqual([{ ...file, patchSize: 2, hunksOnly: true }]);
    expect(saved).toMatchObject({
      diffId: "diff-1",
      repository: { name: "shop" },
      gitContext: { diffOptions: [{ id: "files", label: "shop compared" }] },
    });
  });
});
