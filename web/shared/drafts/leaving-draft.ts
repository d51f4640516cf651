import type { Draft, StoredDraft } from "../../../src/review/api-types.ts";
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

/**
 * Saves a draft. With `isLeaving`, for the last save before the page may close, also stores the draft in the tab, and
 * requests that the browser completes the request after the page has closed. Browsers offer this only for small
 * requests: Chromium completes a larger one too, Firefox cancels it.
 */
export function writeDraft<Content>(session: string, draft: SentDraft<Content>, isLeaving: boolean) {
  if (isLeaving) leaveIn(session, draft);
  return sendJson<StoredDraft>("PUT", "/api/draft", draft, {
    keepalive: isLeaving && isSmall(draft),
  });
}

/**
 * Bytes of requests with `keepalive` that browsers allow at a time (https://fetch.spec.whatwg.org/, "inflight
 * keepalive bytes"). They reject a larger request without sending it.
 */
const MAX_KEEPALIVE_BYTES = 64 * 1024;

function isSmall(draft: unknown): boolean {
  return new TextEncoder().encode(JSON.stringify(draft)).length <= MAX_KEEPALIVE_BYTES;
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
