import { type FileContent, filePatch } from "../../patch/file-patch.ts";
import { composePatch } from "../compose-patch.ts";
import type { AzureChange } from "./read-changes.ts";

/** Maximum changes whose files are read at the same time; a change has up to two files. */
const READERS = 6;

/** Makes the diff of two commits from their files: the API returns no patches. */
export async function makePatch(
  changes: readonly AzureChange[],
  read: (path: string, side: "old" | "new") => Promise<Buffer | undefined>,
): Promise<Buffer> {
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

async function patchOf(
  { path, oldPath, status }: AzureChange,
  read: (path: string, side: "old" | "new") => Promise<Buffer | undefined>,
): Promise<Buffer> {
  const content = async (name: string, side: "old" | "new"): Promise<FileContent | undefined> => {
    const bytes = await read(name, side);
    return bytes && { mode: "100644", bytes };
  };
  const [before, after] = await Promise.all([
    status === "added" ? undefined : content(oldPath, "old"),
    status === "deleted" ? undefined : content(path, "new"),
  ]);
  const patch = filePatch(path, before, after);
  if (status !== "renamed") return patch?.bytes ?? Buffer.alloc(0);
  const header = { path, oldPath, status, hunks: "" };
  const at = patch ? patch.bytes.indexOf("\n@@ ") + 1 : 0;
  if (!patch || at === 0) return Buffer.from(composePatch([header]));
  // The hunks can have any encoding, so they are not decoded.
  const [named = ""] = composePatch([{ ...header, hunks: "@@ " }]).split(/^@@ /m);
  return Buffer.concat([Buffer.from(named), patch.bytes.subarray(at)]);
}
