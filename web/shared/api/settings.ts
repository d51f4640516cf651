import type { ReviewSettings } from "../../../src/review/api-types.ts";
import { type Result, sendJson } from "./client.ts";

/** Saves settings for all later reviews. Changes only the given members. */
export function saveSettings(changes: Partial<ReviewSettings>): Promise<Result<ReviewSettings>> {
  return sendJson<ReviewSettings>("PUT", "/api/settings", changes);
}
