import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";
import { readPatch } from "../../git/file-text.ts";
import type { Snapshot } from "../../git/snapshot.ts";

/** Maximum bytes of the kept patches of a diff. Files beyond this limit are kept without their patch. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum bytes of a decompressed diff, which limits the memory that a damaged file can use. */
const MAX_DECOMPRESSED = 4 * MAX_BYTES;

/** A compressed diff and the number of the round in which feedback on it was sent. */
export interface CompressedRound {
  readonly round: number;
  readonly compressed: Uint8Array;
}

const objectName = z.string().regex(/^[0-9a-f]{40,64}$/);

const sentFile = z.object({
  path: z.string(),
  oldPath: z.string().exactOptional(),
  fingerprint: z.string(),
  /** Object name of the old side; all zeros for an added file. */
  oldBlob: objectName.exactOptional(),
  newBlob: objectName.exactOptional(),
  /** The patch, one character per byte; absent for a binary file and for a file beyond `MAX_BYTES`. */
  patch: z.string().exactOptional(),
});

const sentDiff = z.object({ files: z.array(sentFile) });

/** The state of a diff at the time when feedback was sent, with which later versions can be compared. */
export type SentDiff = z.infer<typeof sentDiff>;
export type SentFile = z.infer<typeof sentFile>;

/** Returns a diff in the form of `SentDiff`. The caller must keep the lease of the diff until the promise settles. */
export async function captureDiff(snapshot: Snapshot): Promise<SentDiff> {
  const files: SentFile[] = [];
  let left = MAX_BYTES;
  for (const file of snapshot.files) {
    const { path, oldPath, fingerprint, oldBlob, newBlob, binary, patchSize } = file;
    const isKept = !binary && patchSize <= left;
    if (isKept) left -= patchSize;
    files.push({
      path,
      fingerprint,
      ...(oldPath === undefined ? {} : { oldPath }),
      ...(oldBlob === undefined ? {} : { oldBlob }),
      ...(newBlob === undefined ? {} : { newBlob }),
      ...(isKept ? { patch: (await readPatch(snapshot, file)).toString("latin1") } : {}),
    });
  }
  return { files };
}

/** Compresses a diff as JSON with gzip. */
export function compressDiff(sent: SentDiff): Promise<Buffer> {
  return promisify(gzip)(JSON.stringify(sent));
}

/** Decompresses the result of `compressDiff`; undefined if it is damaged or exceeds `MAX_DECOMPRESSED`. */
export async function decompressDiff(compressed: Uint8Array): Promise<SentDiff | undefined> {
  try {
    const text = await promisify(gunzip)(compressed, { maxOutputLength: MAX_DECOMPRESSED });
    return sentDiff.parse(JSON.parse(text.toString()));
  } catch {
    return undefined;
  }
}
