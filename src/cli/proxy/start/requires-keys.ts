import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolders } from "../../../files/make-folders.ts";

const fileIn = (dataDirectory: string) => join(dataDirectory, "proxy", "requires-keys");

/** Returns whether the database required keys when this machine last read or changed it. */
export function requiredKeys(dataDirectory: string): boolean {
  return existsSync(fileIn(dataDirectory));
}

/**
 * Stores on disk whether keys are required. If they are, the next start opens the database before it accepts
 * calls, so that it serves no call without a key.
 */
export async function setRequiresKeys(dataDirectory: string, isRequired: boolean): Promise<void> {
  const path = fileIn(dataDirectory);
  if (isRequired === existsSync(path)) return;
  if (!isRequired) return rm(path, { force: true });
  await makeFolders(dirname(path), 0o700);
  await (await open(path, "w", 0o600)).close();
}
