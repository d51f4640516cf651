import type { ResponseProfile } from "../exchange/dialect-profile.ts";
import { tryParseJson } from "../exchange/json.ts";
import type { Usage } from "../exchange/response.ts";

/** Reads the token counts of a usage member; undefined if it is not an object. */
export function usageFrom(profile: ResponseProfile, raw: unknown): Usage | undefined {
  return typeof raw === "object" && raw !== null ? profile.readUsage(raw) : undefined;
}

/**
 * Returns the last usage object in a part of a JSON response or of a stream; undefined if there is none. `text` is the
 * bytes decoded as Latin-1, because searching a string is faster than searching a buffer. A quoted name cannot be part
 * of a model's text, because JSON strings escape quotes.
 */
export function lastUsage(profile: ResponseProfile, text: string): unknown {
  const name = `"${profile.usageMember}"`;
  for (let at = text.lastIndexOf(name); at >= 0; at = text.lastIndexOf(name, at - 1)) {
    const object = objectAfter(text, at + name.length);
    if (object !== undefined || at === 0) return object;
  }
  return undefined;
}

/** Returns the first usage object, in which a stream of the messages dialect reports its input. */
export function firstUsage(profile: ResponseProfile, text: string): unknown {
  const name = `"${profile.usageMember}"`;
  const at = text.indexOf(name);
  return at < 0 ? undefined : objectAfter(text, at + name.length);
}

/** Maximum characters between a name and its object: the colon and whitespace. */
const MAX_GAP = 16;
/** Matches a complete JSON string that starts at `lastIndex`. */
const STRING = /"(?:[^"\\]|\\.)*"/y;

function objectAfter(text: string, from: number): unknown {
  const start = text.indexOf("{", from);
  if (start < 0 || start > from + MAX_GAP || text.slice(from, start).trim() !== ":") return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      STRING.lastIndex = at;
      if (!STRING.test(text)) return undefined;
      at = STRING.lastIndex - 1;
    } else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return tryParseJson(text.slice(start, at + 1));
    }
  }
  return undefined;
}

/** Number of bytes at the end of a response that are searched, because vendors report usage there. */
export const RESPONSE_END = 16 * 1024;

/** Returns the end of a complete response, `RESPONSE_END` bytes at most, decoded as Latin-1. */
export function decodeEnd(body: Buffer): string {
  return body.toString("latin1", Math.max(0, body.length - RESPONSE_END));
}

/** Returns the usage in the end of a complete JSON response, as returned by `decodeEnd`. */
export function readResponseUsage(profile: ResponseProfile, end: string): Usage | undefined {
  return usageFrom(profile, lastUsage(profile, end));
}
