import { rename, rm, writeFile } from "node:fs/promises";
import { AppError, messageOf } from "../errors.ts";

/**
 * Writes where a server can be reached to `path`, as JSON: `{url, port, pid}`. Whoever waits for the file never reads
 * half of it. Throws `unreadable` where it cannot be written.
 */
export async function writeReadyFile(path: string, url: string, port: number): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, `${JSON.stringify({ url, port, pid: process.pid })}\n`);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw new AppError("unreadable", `The ready file ${path} cannot be written: ${messageOf(error)}`, {
      cause: error,
      hint: "Name a file in a folder that is there and can be written with --ready-file.",
    });
  }
}
