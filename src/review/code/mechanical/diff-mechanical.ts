import {
  LINE_ADDED,
  LINE_REMOVED,
  lineNumber,
  type ParsedPatch,
  type Side,
} from "../../../render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../render/diff/patch/scan-patch.ts";
import type { DiffMove, MechanicalFile } from "../../api-types.ts";
import type { DiffSides } from "../../diff-session.ts";
import { readPatch } from "../../git/file-text.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";
import { type KnownLines, readKnownLines } from "../../known-lines.ts";
import { movesIn } from "../moves/diff-moves.ts";
import { createPause } from "../moves/slices.ts";
import { oncePerDiff } from "../once-per-diff.ts";
import { type IsMoved, kindOfFile, type MechanicalChanges, MechanicalSearch } from "./find-mechanical.ts";
import { linesOutsideStrings, spanningStringsOf } from "./lines-in-strings.ts";

/** Maximum bytes of a patch that is searched; a larger one is mechanical only if `kindOfFile` returns a kind. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Returns the files of a diff that have only mechanical changes. Searches once for each diff. */
export const mechanicalIn = oncePerDiff(searchFiles);

async function searchFiles(snapshot: Snapshot, sides: DiffSides): Promise<readonly MechanicalFile[]> {
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
    if (changes && (await changesOnlyCode({ snapshot, sides, file, patch, isMoved }, changes)))
      found.push({ file, changes });
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

interface Search {
  readonly snapshot: Snapshot;
  readonly sides: DiffSides;
  readonly file: SnapshotFile;
  readonly patch: ParsedPatch;
  readonly isMoved: IsMoved;
}

/**
 * Reports whether no formatting and no name was changed in a string that spans lines. Returns false if that is unknown.
 * A patch can contain lines of such a string without its quotes, so this reads the complete file.
 */
async function changesOnlyCode(search: Search, { kinds }: MechanicalChanges): Promise<boolean> {
  const { file, patch, isMoved } = search;
  const strings = spanningStringsOf(file.path);
  if (!strings || !(kinds.has("formatting") || kinds.has("names"))) return true;
  for (const side of ["old", "new"] as const) {
    const changed = changedNumbers(patch, side).filter((number) => !isMoved(side, number));
    if (changed.length === 0) continue;
    const outside = linesOutsideStrings(await readLines(search, side), strings);
    if (!changed.every((number) => outside.has(number))) return false;
  }
  return true;
}

function changedNumbers(patch: ParsedPatch, side: Side): readonly number[] {
  const kind = side === "old" ? LINE_REMOVED : LINE_ADDED;
  const numbers: number[] = [];
  for (let line = 0; line < patch.lineCount; line++)
    if (patch.kind[line] === kind) numbers.push(lineNumber(patch, line, side));
  return numbers;
}

/** Returns the known lines of a file; none if it cannot be read. */
function readLines({ snapshot, sides, file }: Search, side: Side): Promise<KnownLines> {
  return readKnownLines({ snapshot, sides }, file.path, side).catch(() => []);
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
