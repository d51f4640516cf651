import { treeOrder } from "../../../render/diff/patch/file-tree.ts";
import type { ListedFile } from "../../git/listed-files.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";

/** Number of files that fill a usual window if each has a change of one line. */
const TOP_FILES = 12;

/** Returns the files of a diff in the order of the page. */
export function shownFiles({ files }: Snapshot): SnapshotFile[] {
  return treeOrder(files).flatMap(({ index }) => files[index] ?? []);
}

/** Returns the first files on the page, or none if they would be most of the diff. */
export function topFiles(files: readonly ListedFile[]): readonly ListedFile[] {
  return files.length < TOP_FILES * 2 ? [] : treeOrder(files).slice(0, TOP_FILES);
}
