import { scanPatch } from "../../../render/diff/patch/scan-patch.ts";
import type { DiffMove, MechanicalFile } from "../../api-types.ts";
import { readPatch } from "../../git/file-text.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";
import { movesIn } from "../moves/diff-moves.ts";
import { createPause } from "../moves/slices.ts";
import { oncePerDiff } from "../once-per-diff.ts";
import { type IsMoved, kindOfFile, type MechanicalChanges, MechanicalSearch } from "./find-mechanical.ts";

/** Maximum bytes of a patch that is searched; files with larger patches count as not mechanical. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Returns the files of a diff that have only mechanical changes. Searches once for each diff. */
export const mechanicalIn = oncePerDiff(searchFiles);

async function searchFiles(snapshot: Snapshot): Promise<readonly MechanicalFile[]> {
  const moved = unedited(await movesIn(snapshot));
  const search = new MechanicalSearch();
  const pause = createPause();
  const found: { readonly file: SnapshotFile; readonly changes: MechanicalChanges }[] = [];
  for (const file of snapshot.files) {
    const kind = kindOfFile(file);
    if (kind) found.push({ file, changes: { kinds: new Set([kind]), renamed: new Map() } });
    if (kind || file.binary || file.patchSize > MAX_FILE_BYTES) continue;
    const patch = scanPatch((await readPatch(snapshot, file)).toString());
    const lines = moved.get(file.path);
    const isMoved: IsMoved = (side, number) => lines?.[side].has(number) ?? false;
    const changes = search.add(file, patch, isMoved);
    if (changes) found.push({ file, changes });
    await pause();
  }
  return found
    .filter(({ changes }) => search.isConfirmed(changes))
    .map(({ file, changes }) => ({
      path: file.path,
      kinds: [...changes.kinds],
      ...(changes.renamed.size > 0
        ? { renamed: [...changes.renamed].map(([from, to]) => ({ from, to })) }
        : {}),
    }));
}

type Lines = Readonly<Record<"old" | "new", Set<number>>>;

/** Returns the lines of moves without edits, by path and side. */
function unedited(moves: readonly DiffMove[]): ReadonlyMap<string, Lines> {
  const lines = new Map<string, Lines>();
  const add = (side: "old" | "new", { path, lineStart, lineEnd }: DiffMove["from"]) => {
    const ofFile = lines.get(path) ?? { old: new Set(), new: new Set() };
    lines.set(path, ofFile);
    for (let line = lineStart; line <= lineEnd; line++) ofFile[side].add(line);
  };
  for (const move of moves) {
    if (move.changed) continue;
    add("old", move.from);
    add("new", move.to);
  }
  return lines;
}
