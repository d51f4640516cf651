import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { AppError, systemErrorCode } from "../../errors.ts";
import { getReadReason } from "../../files/read-reason.ts";
import type { FileContent } from "./file-patch.ts";

/** Maximum bytes of a file that is read; of a larger one, only a change of its size or time is shown. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The path of a file. It is a `Buffer` if it is not UTF-8. */
export type FilePath = string | Buffer;

/**
 * Reads a file without following a link: returns the target of a symbolic link as its content. Returns undefined if it
 * does not exist. Throws `unreadable`.
 */
export async function readContent(path: FilePath | undefined): Promise<FileContent | undefined> {
  if (path === undefined) return undefined;
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink())
      return { mode: "120000", bytes: await readlink(path, { encoding: "buffer" }) };
    if (found.size > MAX_BYTES)
      return { mode: "100644", bytes: Buffer.from(`\0${found.size} ${found.mtimeMs}`) };
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
    const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    try {
      const isProgram = process.platform !== "win32" && (found.mode & 0o111) !== 0;
      return { mode: isProgram ? "100755" : "100644", bytes: await file.readFile() };
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return undefined;
    throw new AppError("unreadable", `Cannot read ${path}: ${getReadReason(cause)}`, { cause });
  }
}
