import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";

/**
 * Token counts read off a vendor's own words, in one convention: input includes what was cached, output includes
 * reasoning (OpenAI's counts do, Anthropic's input does not, Google's output leaves thoughts out).
 */
export function usageFrom(dialect: Dialect, raw: unknown): Usage | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const count = (name: string, holder: unknown = raw): number | undefined => numberIn(holder, name);
  if (dialect === "messages") {
    const uncached = count("input_tokens");
    const read = count("cache_read_input_tokens");
    const write = count("cache_creation_input_tokens");
    const total = uncached === undefined ? undefined : uncached + (read ?? 0) + (write ?? 0);
    return build(
      { total, uncached, cacheRead: read, cacheWrite: write },
      count("output_tokens"),
      undefined,
      raw,
    );
  }
  if (dialect === "generative-language") {
    const thoughts = count("thoughtsTokenCount");
    const answer = count("candidatesTokenCount");
    const output =
      answer === undefined && thoughts === undefined ? undefined : (answer ?? 0) + (thoughts ?? 0);
    const input = { total: count("promptTokenCount"), cacheRead: count("cachedContentTokenCount") };
    return build(input, output, thoughts, raw);
  }
  const [input, output] =
    dialect === "responses" ? ["input_tokens", "output_tokens"] : ["prompt_tokens", "completion_tokens"];
  const cacheRead = count("cached_tokens", memberOf(raw, `${input}_details`));
  const reasoning = count("reasoning_tokens", memberOf(raw, `${output}_details`));
  return build({ total: count(input ?? ""), cacheRead }, count(output ?? ""), reasoning, raw);
}

type Counts = { [Name in keyof Usage["input"]]: number | undefined };

function build(input: Counts, total: number | undefined, reasoning: number | undefined, raw: unknown): Usage {
  const known = Object.entries(input).filter(([, value]) => value !== undefined);
  return {
    input: Object.fromEntries(known),
    output: { ...(total === undefined ? {} : { total }), ...(reasoning === undefined ? {} : { reasoning }) },
    raw,
  };
}

/**
 * The last usage object in a piece of JSON or of a stream, parsed; undefined where there is none. The name with its
 * quotes cannot stand inside a JSON string, where quotes are escaped.
 */
export function lastUsage(dialect: Dialect, text: string): unknown {
  const name = dialect === "generative-language" ? '"usageMetadata"' : '"usage"';
  for (let at = text.lastIndexOf(name); at >= 0; at = text.lastIndexOf(name, at - 1)) {
    const object = objectAfter(text, at + name.length);
    if (object !== undefined) return object;
    if (at === 0) break;
  }
  return undefined;
}

/** The first one; a messages stream tells its input there. */
export function firstUsage(text: string): unknown {
  const at = text.indexOf('"usage"');
  return at < 0 ? undefined : objectAfter(text, at + 7);
}

function objectAfter(text: string, from: number): unknown {
  const open = /^\s*:\s*\{/.exec(text.slice(from, from + 16));
  if (!open) return undefined;
  const start = from + open[0].length - 1;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      do at = text.indexOf('"', at + 1);
      while (at > 0 && text[at - 1] === "\\");
      if (at < 0) return undefined;
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

function numberIn(holder: unknown, name: string): number | undefined {
  const value = memberOf(holder, name);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function memberOf(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, name)?.value;
}

/** Of a whole JSON answer; vendors say it near the end. */
export function usageOfBody(dialect: Dialect, body: Buffer): Usage | undefined {
  return usageFrom(dialect, lastUsage(dialect, body.toString("latin1", Math.max(0, body.length - 16_384))));
}
