import type { ReviewSettings } from "../../../src/review/api-types.ts";
import { type Result, sendJson } from "./client.ts";

/** Remembers settings for all later reviews: only the members given change. */
export function saveSettings(changes: Partial<ReviewSettings>): Promise<Result<ReviewSettings>> {
  return sendJson<ReviewSettings>("PUT", "/api/settings", changes);
}
