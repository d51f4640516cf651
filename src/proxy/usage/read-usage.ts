import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import { usageOfExclusive, usageOfInclusive, usageOfSeparateThoughts } from "../exchange/usage.ts";

/** Token counts read off a vendor's own words, in the one convention of `Usage`. */
export function usageFrom(dialect: Dialect, raw: unknown): Usage | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const count = (name: string, holder: unknown = raw): number | undefined => numberIn(holder, name);
  if (dialect === "messages")
    return usageOfExclusive({
      uncached: count("input_tokens"),
      cacheRead: count("cache_read_input_tokens"),
      cacheWrite: count("cache_creation_input_tokens"),
      output: count("output_tokens"),
      raw,
    });
  if (dialect === "generative-language")
    return usageOfSeparateThoughts({
      prompt: count("promptTokenCount"),
      toolPrompt: count("toolUsePromptTokenCount"),
      cacheRead: count("cachedContentTokenCount"),
      candidates: count("candidatesTokenCount"),
      thoughts: count("thoughtsTokenCount"),
      raw,
    });
  const names = dialect === "responses" ? RESPONSES_NAMES : CHAT_NAMES;
  return usageOfInclusive({
    input: count(names.input),
    cacheRead: count("cached_tokens", memberOf(raw, `${names.input}_details`)),
    output: count(names.output),
    reasoning: count("reasoning_tokens", memberOf(raw, `${names.output}_details`)),
    raw,
  });
}

const CHAT_NAMES = { input: "prompt_tokens", output: "completion_tokens" } as const;
const RESPONSES_NAMES = { input: "input_tokens", output: "output_tokens" } as const;

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
  // None of the names is one that objects have by themselves.
  return (holder as Readonly<Record<string, unknown>>)[name];
}

/** Of a whole JSON answer, or its end: vendors say it there. */
export function usageOfText(dialect: Dialect, text: string): Usage | undefined {
  return usageFrom(dialect, lastUsage(dialect, text));
}
