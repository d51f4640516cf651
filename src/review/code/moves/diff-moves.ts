import type { DiffMove } from "../../api-types.ts";
import { readPatches } from "../../git/file-text.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";
import { oncePerDiff } from "../once-per-diff.ts";
import { type Block, createMoveSearch } from "./find-moves.ts";
import {
  addPatch,
  type ChangedLines,
  createChangedLines,
  type LineTable,
  type Patches,
} from "./line-table.ts";
import { isSameText } from "./similarity.ts";
import { createPause, inSlices } from "./slices.ts";

/** Maximum bytes of a file's patch; files with larger patches are left out. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/**
 * Maximum bytes of patches that are kept to find edited lines. In files beyond this limit, only unedited
 * lines are found.
 */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Returns the moved lines of a diff. Searches once for each diff, in slices between other requests. */
export const movesIn = oncePerDiff(searchMoves);

async function searchMoves(snapshot: Snapshot): Promise<readonly DiffMove[]> {
  const pause = createPause();
  // Generated code contains many equal lines, and reviewers do not follow how it moved.
  const files = snapshot.files.filter(
    ({ generated, additions, deletions, patchSize }) =>
      !generated && additions + deletions > 0 && patchSize <= MAX_FILE_BYTES,
  );
  const lines = createChangedLines({
    removed: files.reduce((sum, { deletions }) => sum + deletions, 0),
    added: files.reduce((sum, { additions }) => sum + additions, 0),
  });
  for await (const [{ index }, patch] of readPatches(snapshot, files, { reuse: true })) {
    addPatch(lines, index, patch);
    await pause();
  }
  const search = createMoveSearch(lines);
  const blocks = await inSlices(search.findBlocks(), pause);
  const inBlocks = filesOf(lines, blocks);
  const patches = await keepPatches(
    snapshot,
    files.filter(({ index }) => inBlocks.has(index)),
  );
  const extended = await inSlices(search.extendBlocks(patches), pause);
  return extended.map((block) => describe(snapshot, lines, patches, block));
}

function filesOf({ removed, added }: ChangedLines, blocks: readonly Block[]): ReadonlySet<number> {
  return new Set(blocks.flatMap(({ from, to }) => [removed.file[from] ?? -1, added.file[to] ?? -1]));
}

/** Reads the patches of the first files, up to `MAX_KEPT_BYTES` in total. */
async function keepPatches(snapshot: Snapshot, files: readonly SnapshotFile[]): Promise<Patches> {
  let left = MAX_KEPT_BYTES;
  const end = files.findIndex(({ section }) => {
    left -= section.length;
    return left < 0;
  });
  const patches = new Map<number, Buffer>();
  for await (const [{ index }, patch] of readPatches(snapshot, end < 0 ? files : files.slice(0, end)))
    patches.set(index, patch);
  return patches;
}

function describe(
  { files }: Snapshot,
  lines: ChangedLines,
  patches: Patches,
  { from, to, length }: Block,
): DiffMove {
  const range = ({ file, number }: LineTable, first: number) => ({
    path: files[file[first] ?? -1]?.path ?? "",
    lineStart: number[first] ?? 0,
    lineEnd: number[first + length - 1] ?? 0,
  });
  let changed = false;
  for (let step = 0; step < length && !changed; step++)
    changed = !isSameText(lines, patches, from + step, to + step);
  return { from: range(lines.removed, from), to: range(lines.added, to), changed };
}
