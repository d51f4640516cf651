import type { Draft } from "../../../src/review/api-types.ts";
import { getJson, type Result, sendJson } from "../api/client.ts";

interface SentDraft<Content> {
  readonly generation: number;
  readonly content: Content;
  /** The plan it is about, or the code review. */
  readonly planId?: string;
  readonly reviewId?: string;
}

/**
 * A page that is reloaded may ask for its draft before its own last save has arrived. That save is therefore left in
 * the tab as well, and whichever is newer counts; one that is not known to have arrived has no `savedAt`. `session`
 * tells reviews apart that had the same address.
 */
export async function readDraft<Content>(session: string): Promise<Result<Draft<Content>>> {
  const stored = await getJson<Draft<Content>>("/api/draft");
  const left = leftIn<Content>(session);
  if (!stored.ok || !left || left.generation <= stored.value.generation) return stored;
  return { ok: true, value: { ...left, savedAt: "" } };
}

/** Saves a draft; a last save also lies in the tab. */
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
    // A tab without room or permission has the server's copy alone.
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
