import { rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * A record, by port, of tabs whose page was open when its review ended. Such a tab keeps trying to connect to
 * the port, so the next review of the folder does not have to open another tab.
 */
export interface OpenTabs {
  /** Reports whether a tab may still be trying to connect to the port. Never rejects. */
  mayWait(port: number): Promise<boolean>;
  /** Records whether a tab was left open at the port. Never rejects. */
  note(port: number, isLeft: boolean): Promise<void>;
}

/** Maximum age of a mark: few tabs stay open longer, and the next review then opens a new one. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Creates the store of marks in the folder `tabs` of the data directory. */
export function createOpenTabs(dataDirectory: string, now: () => number = Date.now): OpenTabs {
  const toPath = (port: number) => join(dataDirectory, "tabs", `${port}.json`);
  return {
    mayWait: (port) =>
      stat(toPath(port)).then(
        ({ mtimeMs }) => now() - mtimeMs < MAX_AGE_MS,
        () => false,
      ),
    note: (port, isLeft) =>
      (isLeft ? writeMark(toPath(port)) : rm(toPath(port), { force: true })).catch(() => {}),
  };
}

/** Loads the module on first use, because every import delays the output of the review's URL. */
async function writeMark(path: string): Promise<void> {
  const { writeDurably } = await import("../../files/durable-file.ts");
  await writeDurably(path, "{}\n");
}
