import type { ResponseProfile } from "../exchange/dialect-profile.ts";
import type { Usage } from "../exchange/response.ts";

/** Reads the token counts of a usage member; undefined if it is not an object. */
export function usageFrom(profile: ResponseProfile, raw: unknown): Usage | undefined {
  return typeof raw === "object" && raw !== null ? profile.readUsage(raw) : undefined;
}

/**
 * The last usage object in a piece of JSON or of a stream, parsed; undefined where there is none. `text` is the bytes as
 * Latin-1: of these a string is searched sooner than a buffer is. The name with its quotes cannot stand inside a JSON
 * string, where quotes are escaped.
 */
export function lastUsage(profile: ResponseProfile, text: string): unknown {
  const name = `"${profile.usageMember}"`;
  for (let at = text.lastIndexOf(name); at >= 0; at = text.lastIndexOf(name, at - 1)) {
    const object = objectAfter(text, at + name.length);
    if (object !== undefined || at === 0) return object;
  }
  return undefined;
}

/** The first one; a messages stream tells its input there. */
export function firstUsage(profile: ResponseProfile, text: string): unknown {
  const name = `"${profile.usageMember}"`;
  const at = text.indexOf(name);
  return at < 0 ? undefined : objectAfter(text, at + name.length);
}

/** Between a name and its object stand a colon and a few spaces. */
const LONGEST_GAP = 16;
/** A whole JSON string, from where `lastIndex` stands. */
const STRING = /"(?:[^"\\]|\\.)*"/y;

function objectAfter(text: string, from: number): unknown {
  const start = text.indexOf("{", from);
  if (start < 0 || start > from + LONGEST_GAP || text.slice(from, start).trim() !== ":") return undefined;
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
      if (depth === 0) return parsed(text.slice(start, at + 1));
    }
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ANSWER_END = 16 * 1024;

/** Returns the usage in a whole JSON response, which vendors put into its last 16 kB. */
export function usageOfAnswer(profile: ResponseProfile, body: Buffer): Usage | undefined {
  const end = body.toString("latin1", Math.max(0, body.length - ANSWER_END));
  return usageFrom(profile, lastUsage(profile, end));
}
