import type { Draft } from "../../../src/review/api-types.ts";
import { getJson, type Result, sendJson } from "../api/client.ts";

interface SentDraft<Content> {
  readonly generation: number;
  readonly content: Content;
  /** The plan or the code review of the draft. */
  readonly planId?: string;
  readonly reviewId?: string;
}

/**
 * Reads the draft. A reloaded page may request the draft before its last save has arrived at the server. That
 * save is therefore also stored in the tab, and the newer of the two is returned; `savedAt` is empty if the
 * server may not have it. `session` distinguishes reviews at the same address.
 */
export async function readDraft<Content>(session: string): Promise<Result<Draft<Content>>> {
  const stored = await getJson<Draft<Content>>("/api/draft");
  const left = leftIn<Content>(session);
  if (!stored.ok || !left || left.generation <= stored.value.generation) return stored;
  return { ok: true, value: { ...left, savedAt: "" } };
}

/** Saves a draft. With `keepalive`, for the last save before the page closes, also stores the draft in the tab. */
export function writeDraft<Content>(session: string, draft: SentDraft<Content>, keepalive: boolean) {
  if (keepalive) leaveIn(session, draft);
  return sendJson<{ readonly generation: number; readonly savedAt: string }>("PUT", "/api/draft", draft, {
    keepalive,
  });
}

function leaveIn(session: string, draft: unknown): void {
  try {
    sessionStorage.setItem(session, JSON.stringify(draft));
  } catch {
    // Storage is full or disabled; the server's copy remains.
  }
}

function leftIn<Content>(session: string): SentDraft<Content> | undefined {
  try {
    const left = JSON.parse(sessionStorage.getItem(session) ?? "null") as SentDraft<Content> | null;
    return typeof left?.generation === "number" ? left : undefined;
  } catch {
    return undefined;
  }
}
