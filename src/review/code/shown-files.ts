import { treeOrder } from "../../../web/code/core/file-tree.ts";
import type { Snapshot, SnapshotFile } from "../git/snapshot.ts";

/** The files of a diff in the order of the page. */
export function shownFiles({ files }: Snapshot): SnapshotFile[] {
  return treeOrder(files).flatMap(({ index }) => files[index] ?? []);
}
