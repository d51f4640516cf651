import { rename, rm, writeFile } from "node:fs/promises";
import { AppError, messageOf } from "../errors.ts";

/** A ready file that can be written; it appears with `write` alone. */
export interface ReadyFile {
  /** Writes where a server can be reached, as JSON: `{url, port, pid}`. A reader never gets half of it. */
  write(url: string, port: number): Promise<void>;
}

/**
 * Makes sure that a ready file can be written, before anything is printed that a caller would act on. Throws
 * `unreadable` where it cannot.
 */
export async function openReadyFile(path: string): Promise<ReadyFile> {
  const temporary = `${path}.${process.pid}.tmp`;
  const explained = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw new AppError("unreadable", `The ready file ${path} cannot be written: ${messageOf(error)}`, {
        cause: error,
        hint: "Name a file in a folder that exists and is writable with --ready-file.",
      });
    }
  };
  await explained(() => writeFile(temporary, ""));
  return {
    write: (url, port) =>
      explained(async () => {
        await writeFile(temporary, `${JSON.stringify({ url, port, pid: process.pid })}\n`);
        await rename(temporary, path);
      }),
  };
}
