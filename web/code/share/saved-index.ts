import type { DiffFile, DiffIndex } from "../../../src/review/api-types.ts";
import { diffLabel } from "../state/diff-label.ts";

/**
 * Returns the index of a saved page. Lists its members one by one, because paths and settings of this machine and data
 * of the server must not get to other people. Sets `hunksOnly`, because a saved page cannot load other lines. Pure.
 */
export function toSavedIndex(index: DiffIndex, patches: readonly string[]): DiffIndex {
  const { origin, diffType, source, diffId, commit, repository } = index;
  const encoder = new TextEncoder();
  return {
    gitRef: "",
    origin,
    diffType,
    source,
    gitContext: {
      currentBranch: "",
      defaultBranch: "",
      diffOptions: [{ id: diffType, label: diffLabel(index, diffType) }],
      moreDiffOptions: [],
    },
    sharingEnabled: false,
    diffId,
    sessionId: "",
    reviewId: "",
    caller: {
      name: "",
      cwd: "",
      project: "",
      approvalNote: "none",
      takesEditedPlan: false,
      takesPermissionMode: false,
      takesAgentSwitch: false,
    },
    repository: { name: repository.name, root: "" },
    editorLink: "",
    ...(commit && { commit }),
    files: index.files.map((file, at): DiffFile => {
      // The size is computed again, because decoding has replaced bytes that are not UTF-8.
      const patchSize = encoder.encode(patches[at]).length;
      return file.binary ? { ...file, patchSize } : { ...file, patchSize, hunksOnly: true };
    }),
    opening: [],
    settings: { theme: "system", planSave: { enabled: false } },
  };
}
