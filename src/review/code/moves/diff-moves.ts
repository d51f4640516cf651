import type { DiffMove } from "../../api-types.ts";
import { readPatch } from "../../git/file-text.ts";
import type { Snapshot } from "../../git/snapshot.ts";
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

/** Maximum bytes of a file's patch; larger files are left out. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Maximum bytes of patches that are kept to find edited lines; in other files, only unedited lines are found. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Returns the moved lines of a diff. Searches once for each diff, in slices between other requests. */
export const movesIn = oncePerDiff(searchMoves);

async function searchMoves(snapshot: Snapshot): Promise<readonly DiffMove[]> {
  const pause = createPause();
  const lines = createChangedLines();
  for (const [index, file] of snapshot.files.entries()) {
    // Generated lines repeat each other everywhere, and reviewers do not read how they moved.
    if (file.generated || file.additions + file.deletions === 0 || file.patchSize > MAX_FILE_BYTES) continue;
    addPatch(lines, index, await readPatch(snapshot, file));
    await pause();
  }
  const search = createMoveSearch(lines);
  const blocks = await inSlices(search.findBlocks(), pause);
  const patches = await readPatches(snapshot, filesOf(lines, blocks));
  const extended = await inSlices(search.extendBlocks(patches), pause);
  return extended.map((block) => describe(snapshot, lines, patches, block));
}

function filesOf({ removed, added }: ChangedLines, blocks: readonly Block[]): ReadonlySet<number> {
  return new Set(blocks.flatMap(({ from, to }) => [removed.file[from] ?? -1, added.file[to] ?? -1]));
}

async function readPatches(snapshot: Snapshot, wanted: ReadonlySet<number>): Promise<Patches> {
  const patches = new Map<number, Buffer>();
  let left = MAX_KEPT_BYTES;
  for (const [index, file] of snapshot.files.entries()) {
    if (!wanted.has(index)) continue;
    left -= file.patchSize;
    if (left < 0) break;
    patches.set(index, await readPatch(snapshot, file));
  }
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
