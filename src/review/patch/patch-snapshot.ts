import { createHash } from "node:crypto";
import { isGeneratedName } from "../git/attributes.ts";
import type { DiffPlan } from "../git/diff-types.ts";
import { createPatchSplitter } from "../git/patch-splitter.ts";
import { isNullObject, readSectionHeader, type SectionHeader } from "../git/section-header.ts";
import type { Snapshot, SnapshotFile } from "../git/snapshot.ts";
import { Spool } from "../git/spool.ts";
import type { FilePatch } from "./read-patch-series.ts";

const NO_OBJECT = "0".repeat(40);

/**
 * Stores patches as a snapshot. Sets the object name of a missing side to zeros, because a patch without an `index`
 * line has none.
 */
export async function snapshotOfPatches(
  plan: Pick<DiffPlan, "diffType" | "gitRef">,
  patches: readonly FilePatch[],
  hasOnlyHunks: (file: SnapshotFile) => boolean,
): Promise<Snapshot> {
  const spool = await Spool.create();
  try {
    const splitter = createPatchSplitter();
    for (const { bytes } of patches) {
      splitter.write(bytes);
      await spool.append(bytes);
    }
    await spool.flush();
    const hash = createHash("sha256");
    const files = splitter.end().map((section, index): SnapshotFile => {
      hash.update(section.header).update(section.fingerprint);
      const { additions, deletions, fingerprint, length } = section;
      const header = readSectionHeader(section.header.toString());
      const { isAdded = false, isDeleted = false } = patches[index] ?? {};
      const conflict = findConflict(header, isAdded, isDeleted);
      const file: SnapshotFile = {
        index,
        ...header,
        // The content of a side in conflict is not stored as an object.
        ...(conflict === undefined ? {} : { oldBlob: undefined, newBlob: undefined, conflict }),
        ...(isAdded ? { oldBlob: NO_OBJECT } : {}),
        ...(isDeleted ? { newBlob: NO_OBJECT } : {}),
        generated: isGeneratedName(header.path),
        additions,
        deletions,
        patchSize: length,
        fingerprint,
        section,
      };
      return file.binary || !hasOnlyHunks(file) ? file : { ...file, hunksOnly: true };
    });
    return { plan, files, diffId: hash.digest("hex").slice(0, 32), spool };
  } catch (error) {
    await spool.close();
    throw error;
  }
}

/**
 * Returns the sides with unresolved conflicts. jj writes zeros as the object name of such a side, although the file
 * exists there: https://github.com/jj-vcs/jj/blob/main/lib/src/diff_presentation/unified.rs
 */
function findConflict(
  { oldBlob, newBlob }: SectionHeader,
  isAdded: boolean,
  isDeleted: boolean,
): SnapshotFile["conflict"] {
  const isOld = !isAdded && isNull(oldBlob);
  const isNew = !isDeleted && isNull(newBlob);
  if (isOld && isNew) return "both";
  return isOld ? "old" : isNew ? "new" : undefined;
}

const isNull = (blob: string | undefined) => blob !== undefined && isNullObject(blob);
