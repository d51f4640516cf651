import type { OpeningPatch } from "../../api-types.ts";
import { readFiles } from "../../git/file-text.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";
import { shownFiles } from "./shown-files.ts";

/** Maximum bytes of patches in the index: enough for a typical diff, and for more than one window of a larger one. */
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
    patches.push({ index: file.index, patch: await textOf(snapshot, file) });
  }
  return patches;
}

async function textOf(snapshot: Snapshot, file: SnapshotFile): Promise<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const piece of readFiles(snapshot, [file])) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
