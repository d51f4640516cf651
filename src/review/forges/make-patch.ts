import { AppError } from "../../errors.ts";
import { type FileContent, filePatch } from "../patch/file-patch.ts";
import { composeHeader, composePatch, type ListedChange } from "./compose-patch.ts";

/** Maximum changes whose files are read at the same time; a change has up to two files. */
const READERS = 6;

/** A changed file. Without hunks, its patch is made from the file's content. */
export type PatchedChange = Omit<ListedChange, "hunks"> & {
  readonly hunks?: string | undefined;
};

type ReadSide = (path: string, side: "old" | "new") => Promise<Buffer | undefined>;

/** Makes the diff of two commits from their files, because the API returns no patches, or not all of them. */
export async function makePatch(changes: readonly PatchedChange[], read: ReadSide): Promise<Buffer> {
  const patches: Buffer[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < changes.length; index = next++) {
      const change = changes[index];
      if (change) patches[index] = await patchOf(change, read);
    }
  };
  await Promise.all(Array.from({ length: READERS }, work));
  return Buffer.concat(patches);
}

async function patchOf({ hunks, ...change }: PatchedChange, read: ReadSide): Promise<Buffer> {
  const { path, oldPath, status, oldMode, newMode } = change;
  if (hunks !== undefined) return Buffer.from(composePatch([{ ...change, hunks }]));
  const content = async (name: string, side: "old" | "new"): Promise<FileContent | undefined> => {
    const bytes = await read(name, side).catch(withoutLargeFile);
    return bytes && { mode: side === "old" ? fileMode(oldMode) : fileMode(newMode ?? oldMode), bytes };
  };
  const [before, after] = await Promise.all([
    status === "added" ? undefined : content(oldPath, "old"),
    status === "deleted" ? undefined : content(path, "new"),
  ]);
  const isIncomplete = (status !== "added" && !before) || (status !== "deleted" && !after);
  const patch = isIncomplete ? undefined : filePatch(path, before, after);
  // The file is shown without its lines, for example a submodule, or a file of which only the mode has changed.
  if (!patch) return Buffer.from(composeHeader(change, false));
  if (status !== "renamed") return patch.bytes;
  const at = patch.bytes.indexOf("\n@@ ") + 1;
  if (at === 0) {
    const isBinary = /^Binary files .* differ$/m.test(patch.bytes.toString());
    return Buffer.from(composeHeader({ ...change, isBinary }, false));
  }
  // The hunks can have any encoding, so they are not decoded.
  return Buffer.concat([Buffer.from(composeHeader(change, true)), patch.bytes.subarray(at)]);
}

/** Returns the mode of a file; that of a regular file if the forge does not name it. */
function fileMode(mode: string | undefined): FileContent["mode"] {
  return mode === "100755" || mode === "120000" ? mode : "100644";
}

/** Returns undefined for a file that is too large for the API. */
function withoutLargeFile(error: unknown): undefined {
  if (error instanceof AppError && error.code === "too_large") return;
  throw error;
}
