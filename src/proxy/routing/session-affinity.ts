import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Headers in which Claude Code, Codex (new and old versions), OpenCode, pi and others send the id of a session. */
const SESSION_HEADERS = [
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "conversation_id",
  "x-session-affinity",
  "x-opencode-session",
  "x-session-id",
] as const;

/** Returns the client's session id; undefined if the client sends none. */
export function getSession(headers: IncomingHttpHeaders): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/**
 * Returns the items in the order of a session. The order is the same every time and in every process, so that a
 * session uses the prompt caches that it has filled. Sessions are distributed by weight; adding or removing an item
 * moves as few sessions as possible (rendezvous hashing, Thaler and Ravishankar 1998).
 */
export function inSessionOrder<Item>(
  items: readonly Item[],
  session: string,
  getName: (item: Item, index: number) => string,
  getWeight: (item: Item) => number = () => 1,
): Item[] {
  return items
    .map((item, index) => ({
      item,
      score: -Math.log(share(session, getName(item, index))) / getWeight(item),
    }))
    .toSorted((one, other) => one.score - other.score)
    .map(({ item }) => item);
}

/** Returns a number above 0 and at most 1 that is derived from both strings. */
function share(session: string, name: string): number {
  const digest = createHash("sha256").update(`${session}\n${name}`).digest();
  return (digest.readUInt32BE(0) + 1) / 2 ** 32;
}
