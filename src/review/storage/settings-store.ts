import { join } from "node:path";
import type { ReviewSettings } from "../api-types.ts";
import { settingsBody } from "../body-schemas.ts";
import { readJson, writeDurably } from "./durable-file.ts";
import { createQueue } from "./in-turn.ts";

/** What the person chose in the page. Kept here since the port, and with it the browser's own storage, changes. */
export interface SettingsStore {
  read(): Promise<ReviewSettings>;
  /** Replaces the members given and keeps the others: the two pages know different ones. Throws `storage`. */
  change(members: Partial<ReviewSettings>): Promise<ReviewSettings>;
}

/** `initial` is what holds until the person chooses otherwise. */
export function createSettingsStore(dataDirectory: string, initial: ReviewSettings): SettingsStore {
  const path = join(dataDirectory, "settings.json");
  const read = async (): Promise<ReviewSettings> => {
    const stored = settingsBody.safeParse(await readJson(path));
    return { ...initial, ...(stored.success ? stored.data : {}) };
  };
  const inTurn = createQueue();
  return {
    read,
    change: (members) =>
      inTurn(async () => {
        const settings = { ...(await read()), ...members };
        await writeDurably(path, `${JSON.stringify(settings, null, 2)}\n`);
        return settings;
      }),
  };
}
