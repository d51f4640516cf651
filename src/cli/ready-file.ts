import { rm, writeFile } from "node:fs/promises";
import { AppError, messageOf } from "../errors.ts";

/** A ready file that can be written; `write` alone makes it appear. */
export interface ReadyFile {
  /** Writes where a server can be reached, as JSON: `{url, port, pid}`. A reader never gets half of it. */
  write(url: string, port: number): Promise<void>;
}

/**
 * Checks that a ready file can be written, before anything is printed that a caller acts on. Throws `unreadable` where it
 * cannot.
 */
export async function openReadyFile(path: string): Promise<ReadyFile> {
  const explained = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      throw new AppError("unreadable", `The ready file ${path} cannot be written: ${messageOf(error)}`, {
        cause: error,
        hint: "Name a file in a folder that exists and is writable with --ready-file.",
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
        // Not needed by a command without a ready file; node:crypto is slow to load.
        const { replaceFile } = await import("../files/durable-file.ts");
        const text = `${JSON.stringify({ url, port, pid: process.pid })}\n`;
        await replaceFile(path, text, 0o666, { durable: false });
      }),
  };
}
