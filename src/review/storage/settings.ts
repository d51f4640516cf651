import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { readJson, storageFailure, writeDurably } from "../../files/durable-file.ts";
import { withFileLock } from "../../files/file-lock.ts";
import { createQueue } from "../../files/in-turn.ts";
import type { ReviewSettings } from "../api-types.ts";
import { settingsBody } from "../body-schemas.ts";

/** The person's choices in the pages, stored in the data directory. */
export interface SettingsStore {
  read(): Promise<ReviewSettings>;
  /** Replaces the given members and keeps the others. Throws `storage`. */
  change(members: Partial<ReviewSettings>): Promise<ReviewSettings>;
}

/**
 * Creates the settings store. `initial` has the defaults. A stored member that this version cannot parse is ignored,
 * but stays in the file for the version that wrote it.
 */
export function createSettingsStore(dataDirectory: string, initial: ReviewSettings): SettingsStore {
  const path = join(dataDirectory, "settings.json");
  const inTurn = createQueue();
  return {
    read: async () => ({ ...initial, ...understood(await readJson(path)) }),
    change: (members) =>
      inTurn(() =>
        locked(dataDirectory, async () => {
          const stored = await readJson(path);
          if (!isObject(stored)) await backUp(path);
          const changed = { ...(isObject(stored) ? stored : {}), ...members };
          await writeDurably(path, `${JSON.stringify(changed, null, 2)}\n`);
          return { ...initial, ...understood(changed) };
        }),
      ),
  };
}

async function locked<Result>(folder: string, task: () => Promise<Result>): Promise<Result> {
  try {
    return await withFileLock(join(folder, "settings.lock"), task);
  } catch (error) {
    throw error instanceof AppError ? error : storageFailure(folder, error);
  }
}

/**
 * Renames a damaged file, which may be the only copy of the settings. Does not rename a folder: writing the settings
 * then fails and reports it.
 */
async function backUp(path: string): Promise<void> {
  const isFile = await stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (isFile) await rename(path, `${path}.damaged`).catch(() => {});
}

/** Returns the members that this version can parse. */
function understood(stored: unknown): Partial<ReviewSettings> {
  if (!isObject(stored)) return {};
  const members = Object.entries(settingsBody.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(stored[name]);
    return Object.hasOwn(stored, name) && parsed.success ? [[name, parsed.data]] : [];
  });
  return settingsBody.parse(Object.fromEntries(members));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
