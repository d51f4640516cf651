import { treeOrder } from "../../../render/diff/patch/file-tree.ts";
import type { OpeningPatch } from "../../api-types.ts";
import { readFiles } from "../../git/file-text.ts";
import type { ListedFile } from "../../git/listed-files.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";

/** Number of files that fill a typical window if each has a change of one line. */
const TOP_FILES = 12;

/** Returns the files of a diff in the order of the page. */
export function shownFiles({ files }: Snapshot): SnapshotFile[] {
  return treeOrder(files).flatMap(({ index }) => files[index] ?? []);
}

/** Returns the first files on the page, or none if they are more than half of the diff. */
export function topFiles(files: readonly ListedFile[]): readonly ListedFile[] {
  return files.length < TOP_FILES * 2 ? [] : treeOrder(files).slice(0, TOP_FILES);
}

/**
 * Maximum bytes of patches in the index: enough for a typical diff, and for more than one window of a larger
 * diff.
 */
const MAX_BYTES = 64 * 1024;

/**
 * Returns the patches of the first files on the page, up to `MAX_BYTES` in total. Bytes that are not UTF-8 become
 * U+FFFD.
 */
export async function openingPatches(snapshot: Snapshot): Promise<OpeningPatch[]> {
  const patches: OpeningPatch[] = [];
  let bytes = 0;
  for (const file of shownFiles(snapshot)) {
    bytes += file.patchSize;
    if (bytes > MAX_BYTES) break;
    patches.push({ index: file.index, patch: await readText(snapshot, file) });
  }
  return patches;
}

async function readText(snapshot: Snapshot, file: SnapshotFile): Promise<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const piece of readFiles(snapshot, [file])) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
