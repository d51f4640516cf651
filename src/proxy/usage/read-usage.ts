import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import { usageOfExclusive, usageOfInclusive, usageOfSeparateThoughts } from "../exchange/usage.ts";

/** Token counts read off a vendor's own words, in the one convention of `Usage`. */
export function usageFrom(dialect: Dialect, raw: unknown): Usage | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  if (dialect === "messages")
    return usageOfExclusive({
      uncached: numberIn(raw, "input_tokens"),
      cacheRead: numberIn(raw, "cache_read_input_tokens"),
      cacheWrite: numberIn(raw, "cache_creation_input_tokens"),
      cacheWriteHour: numberIn(memberOf(raw, "cache_creation"), "ephemeral_1h_input_tokens"),
      output: numberIn(raw, "output_tokens"),
      reasoning: numberIn(memberOf(raw, "output_tokens_details"), "thinking_tokens"),
      raw,
    });
  if (dialect === "generative-language")
    return usageOfSeparateThoughts({
      prompt: numberIn(raw, "promptTokenCount"),
      toolPrompt: numberIn(raw, "toolUsePromptTokenCount"),
      cacheRead: numberIn(raw, "cachedContentTokenCount"),
      candidates: numberIn(raw, "candidatesTokenCount") ?? withoutCandidates(raw),
      thoughts: numberIn(raw, "thoughtsTokenCount"),
      raw,
    });
  const names = dialect === "responses" ? RESPONSES_NAMES : CHAT_NAMES;
  const [input, total] = [numberIn(raw, names.input), numberIn(raw, "total_tokens")];
  return usageOfInclusive({
    input,
    cacheRead: numberIn(memberOf(raw, names.inputDetails), "cached_tokens"),
    cacheWrite: numberIn(memberOf(raw, names.inputDetails), "cache_write_tokens"),
    // Embeddings have no output, and tell none.
    output: numberIn(raw, names.output) ?? (input !== undefined && total === input ? 0 : undefined),
    reasoning: numberIn(memberOf(raw, names.outputDetails), "reasoning_tokens"),
    total,
    raw,
  });
}

/** What embeds content tells its prompt alone, or the same number as the total. */
function withoutCandidates(raw: object): number | undefined {
  const [prompt, total] = [numberIn(raw, "promptTokenCount"), numberIn(raw, "totalTokenCount")];
  return prompt !== undefined && total === prompt ? 0 : undefined;
}

const CHAT_NAMES = {
  input: "prompt_tokens",
  inputDetails: "prompt_tokens_details",
  output: "completion_tokens",
  outputDetails: "completion_tokens_details",
} as const;
const RESPONSES_NAMES = {
  input: "input_tokens",
  inputDetails: "input_tokens_details",
  output: "output_tokens",
  outputDetails: "output_tokens_details",
} as const;

/**
 * The last usage object in a piece of JSON or of a stream, parsed; undefined where there is none. `text` is the bytes as
 * Latin-1: of these a string is searched sooner than a buffer is. The name with its quotes cannot stand inside a JSON
 * string, where quotes are escaped.
 */
export function lastUsage(dialect: Dialect, text: string): unknown {
  const name = dialect === "generative-language" ? '"usageMetadata"' : '"usage"';
  for (let at = text.lastIndexOf(name); at >= 0; at = text.lastIndexOf(name, at - 1)) {
    const object = objectAfter(text, at + name.length);
    if (object !== undefined || at === 0) return object;
  }
  return undefined;
}

/** The first one; a messages stream tells its input there. */
export function firstUsage(text: string): unknown {
  const at = text.indexOf('"usage"');
  return at < 0 ? undefined : objectAfter(text, at + 7);
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

function numberIn(holder: unknown, name: string): number | undefined {
  const value = memberOf(holder, name);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function memberOf(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  // None of the names is one that objects have by themselves.
  return (holder as Readonly<Record<string, unknown>>)[name];
}

const ANSWER_END = 16 * 1024;

/** Returns the usage in a whole JSON response, which vendors put into its last 16 kB. */
export function usageOfAnswer(dialect: Dialect, body: Buffer): Usage | undefined {
  const end = body.toString("latin1", Math.max(0, body.length - ANSWER_END));
  return usageFrom(dialect, lastUsage(dialect, end));
}
