import { AppError } from "../../errors.ts";
import { type FileContent, filePatch } from "../patch/file-patch.ts";
import { composePatch, type ListedChange } from "./compose-patch.ts";

/** Maximum changes whose files are read at the same time; a change has up to two files. */
const READERS = 6;

/** A changed file. Its patch is made from the file's content if the hunks are undefined. */
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
  const compose = (known: string) => Buffer.from(composePatch([{ ...change, hunks: known }]));
  if (hunks !== undefined) return compose(hunks);
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
  if (!patch) return compose("");
  if (status !== "renamed") return patch.bytes;
  const at = patch.bytes.indexOf("\n@@ ") + 1;
  if (at === 0) return compose(/^Binary files .* differ$/m.exec(patch.bytes.toString())?.[0] ?? "");
  // The hunks can have any encoding, so they are not decoded.
  const [named = ""] = composePatch([{ ...change, hunks: "@@ " }]).split(/^@@ /m);
  return Buffer.concat([Buffer.from(named), patch.bytes.subarray(at)]);
}

/** Returns the mode of a file; that of a regular file if the forge does not name it. */
function fileMode(mode: string | undefined): FileContent["mode"] {
  return mode === "100755" || mode === "120000" ? mode : "100644";
}

/** Returns undefined for a file that is too large for the API. GitHub reports such a file with the status 403. */
function withoutLargeFile(error: unknown): undefined {
  if (error instanceof AppError && (error.code === "too_large" || error.code === "forge_forbidden")) return;
  throw error;
}
