import { treeOrder } from "../../../render/diff/patch/file-tree.ts";
import type { ListedFile } from "../../git/listed-files.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";

/** Files that fill any usual window, with a change of one line in each. */
const TOP_FILES = 12;

/** The files of a diff in the order of the page. */
export function shownFiles({ files }: Snapshot): SnapshotFile[] {
  return treeOrder(files).flatMap(({ index }) => files[index] ?? []);
}

/** Those on top of the page; none when they would be most of the diff. */
export function topFiles(files: readonly ListedFile[]): readonly ListedFile[] {
  return files.length < TOP_FILES * 2 ? [] : treeOrder(files).slice(0, TOP_FILES);
}
