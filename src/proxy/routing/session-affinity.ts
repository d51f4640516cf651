import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Headers in which clients name their session: Claude Code, Codex (new and old), OpenCode and pi, others. */
const SESSION_HEADERS = [
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "conversation_id",
  "x-session-affinity",
  "x-opencode-session",
  "x-session-id",
] as const;

/** The client's session, where it names one. */
export function sessionOf(headers: IncomingHttpHeaders): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/**
 * The same places, those first that are this session's. A session has the same order each time, in every process, so
 * that its prompts find the caches that it has filled; sessions spread over the places by weight; and where a place is
 * added or taken away, only the sessions move that have to (rendezvous hashing, Thaler and Ravishankar 1998).
 */
export function inSessionOrder<Place>(
  places: readonly Place[],
  session: string,
  nameOf: (place: Place, index: number) => string,
  weightOf: (place: Place) => number = () => 1,
): Place[] {
  return places
    .map((place, index) => ({
      place,
      score: -Math.log(share(session, nameOf(place, index))) / weightOf(place),
    }))
    .toSorted((one, other) => one.score - other.score)
    .map(({ place }) => place);
}

/** A number above 0 and at most 1 that follows from both texts. */
function share(session: string, name: string): number {
  const digest = createHash("sha256").update(`${session}\n${name}`).digest();
  return (digest.readUInt32BE(0) + 1) / 2 ** 32;
}
