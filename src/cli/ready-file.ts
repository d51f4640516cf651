import { rm, writeFile } from "node:fs/promises";
import { AppError, getErrorMessage } from "../errors.ts";

/** A ready file that was checked to be writable. Only `write` creates the file. */
export interface ReadyFile {
  /** Writes the server's address as JSON: `{url, port, pid}`. Readers never see a partial file. */
  write(url: string, port: number): Promise<void>;
}

/**
 * Checks that a ready file can be written. Call this before printing a line on which a caller acts. Throws
 * `unreadable` if the file cannot be written.
 */
export async function openReadyFile(path: string): Promise<ReadyFile> {
  const explained = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      throw new AppError("unreadable", `Cannot write the ready file ${path}: ${getErrorMessage(error)}`, {
        cause: error,
        hint: "Set --ready-file to a path in a writable folder.",
      });
    }
  };
  const trial = `${path}.${process.pid}.tmp`;
  await explained(async () => {
    await writeFile(trial, "");
    await rm(trial);
  });
  return {
    write: (url, port) =>
      explained(async () => {
        // Imported on use, because node:crypto is slow to load.
        const { replaceFile } = await import("../files/durable-file.ts");
        const text = `${JSON.stringify({ url, port, pid: process.pid })}\n`;
        await replaceFile(path, text, 0o666, { durable: false });
      }),
  };
}
