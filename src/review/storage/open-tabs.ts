import { rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Remembers, by port, that a page was open when its review ended: the tab goes on asking the port, and the next review of the
 * folder needs no other one.
 */
export interface OpenTabs {
  /** Returns whether a tab may still be waiting at the port. Never throws. */
  mayWait(port: number): Promise<boolean>;
  /** Notes whether one was left at the port. Never throws. */
  note(port: number, isLeft: boolean): Promise<void>;
}

/** Few tabs live longer; then the next round opens another one. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Marks in the folder `tabs` of the data directory. */
export function createOpenTabs(dataDirectory: string, now: () => number = Date.now): OpenTabs {
  const pathOf = (port: number) => join(dataDirectory, "tabs", `${port}.json`);
  return {
    mayWait: (port) =>
      stat(pathOf(port)).then(
        ({ mtimeMs }) => now() - mtimeMs < MAX_AGE_MS,
        () => false,
      ),
    note: (port, isLeft) =>
      (isLeft ? writeMark(pathOf(port)) : rm(pathOf(port), { force: true })).catch(() => {}),
  };
}

/** Loads what writes durably only now: before the review's URL is printed, every module counts. */
async function writeMark(path: string): Promise<void> {
  const { writeDurably } = await import("../../files/durable-file.ts");
  await writeDurably(path, "{}\n");
}
