import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Capabilities } from "../../src/proxy/exchange/capabilities.ts";
import type { Codec, EncodeContext, WireEvent } from "../../src/proxy/exchange/codec.ts";
import type { ExchangeEvent } from "../../src/proxy/exchange/event.ts";
import { stringifyJson } from "../../src/proxy/exchange/json.ts";
import type { Citation, Part } from "../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest } from "../../src/proxy/exchange/request.ts";
import type { Candidate, ExchangeResponse, Finish, Usage } from "../../src/proxy/exchange/response.ts";
import { createStreamChecker } from "../../src/proxy/exchange/stream-checker.ts";
import { mergeUsage } from "../../src/proxy/exchange/usage.ts";
import { createSseParser } from "../../src/sse/parse.ts";

const fixtures = join(import.meta.dirname, "../fixtures");

/** Names of a dialect's recorded responses with this ending. */
export function fixtureNames(dialect: string, suffix: ".json" | ".chunks.txt"): string[] {
  return readdirSync(join(fixtures, dialect)).filter((name) => name.endsWith(suffix));
}

export function readJsonFixture(dialect: string, name: string): unknown {
  return JSON.parse(readFileSync(join(fixtures, dialect, name), "utf8"));
}

/** A recorded stream, with the data of one event per line. */
export function readStreamFixture(dialect: string, name: string): string[] {
  const text = readFileSync(join(fixtures, dialect, name), "utf8");
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** A model that supports everything. Tests remove the capability that they check. */
export const everything: Capabilities = {
  cacheControl: "none",
  maxTokensName: "max_tokens",
  defaultMaxTokens: 4_096,
  acceptsSampling: true,
  acceptsTopPWithTemperature: true,
  acceptsTopK: true,
  acceptsDeveloperRole: true,
  acceptsStop: true,
  acceptsBlankStop: true,
  maxStopSequences: 5,
  maxTemperature: 2,
  efforts: ["none", "minimal", "low", "medium", "high", "xhigh"],
  reasoning: "effort",
  alwaysThinks: false,
  hidesThinking: false,
  bindsThinking: false,
  echoesReasoning: false,
  reasoningMember: "reasoning_content",
  needsReasoning: false,
  thinksByDefault: false,
  reasonsWithTools: true,
  toolsNeedResponses: false,
  combinesTools: true,
  thinkingMember: "reasoning_effort",
  shortCallIds: false,
  acceptsStreamOptions: true,
  structuredOutput: "json-schema",
  rejectedMembers: [],
  memberNames: {},
  toolChoices: ["auto", "none", "required", "tool"],
  jsonSchemaTools: true,
  customTools: true,
  acceptsSystemTurns: true,
  acceptsUserAfterTools: true,
  acceptsContentParts: true,
  acceptsPrefill: true,
  optionalMembers: [],
  images: "any",
  documents: "any",
  audio: true,
  toolNamePattern: /^[a-zA-Z0-9_-]+$/,
  maxToolNameLength: 64,
};

export function request(more: Partial<ExchangeRequest> = {}): ExchangeRequest {
  const base = {
    model: "m",
    stream: false,
    instructions: [],
    turns: [],
    tools: [],
    sampling: {},
    extensions: {},
  };
  return { ...base, ...more };
}

export function encodeContext(more: Partial<EncodeContext> = {}): EncodeContext {
  return {
    model: "client-model",
    request: request(),
    now: 1_760_000_000_000,
    fallbackId: "fallback1",
    ...more,
  };
}

/** Returns the encoded body, as the upstream would parse it. */
export function writtenBody(codec: Codec, value: ExchangeRequest, capabilities = everything) {
  const { value: call, losses } = codec.encodeRequest(value, capabilities);
  const body = JSON.parse(stringifyJson(call.body)) as Record<string, unknown>;
  return { path: call.path, body, losses: losses.map((loss) => loss.code) };
}

/** Decodes a whole stream. Throws if the order of events is invalid. */
export function decodeAll(codec: Codec, events: readonly WireEvent[]): ExchangeEvent[] {
  const decoder = codec.createStreamDecoder();
  const decoded = [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
  const checker = createStreamChecker();
  for (const event of decoded) {
    const problem = checker.check(event);
    if (problem !== undefined) throw new Error(problem);
  }
  if (!checker.ended) throw new Error("The stream has no terminal event.");
  return decoded;
}

export function wireEvents(lines: readonly string[]): WireEvent[] {
  return lines.map((data) => ({ event: "message", data }));
}

/** Returns the text that a client would receive. */
export function encodeAll(codec: Codec, events: readonly ExchangeEvent[], context = encodeContext()): string {
  const encoder = codec.createStreamEncoder(context);
  return events.map((event) => encoder.push(event)).join("");
}

export function parseEvents(text: string): WireEvent[] {
  const parser = createSseParser();
  return [...parser.push(Buffer.from(text)), ...parser.end()];
}

/** Returns the response that a stream contains. Throws if it ends with an error. */
export function collect(events: readonly ExchangeEvent[]): ExchangeResponse {
  const parts = new Map<number, { candidate: number; part: Part }>();
  const finishes = new Map<number, Finish>();
  let usage: Usage | undefined;
  let identity: { id?: string; model?: string; created?: number } = {};
  for (const event of events) {
    if (event.type === "error") throw new Error(event.error.message);
    if (event.type === "start") {
      const { type: _, usage: first, ...members } = event;
      identity = members;
      usage = mergeUsage(usage, first);
    } else if (event.type === "usage" || event.type === "end") usage = mergeUsage(usage, event.usage);
    else if (event.type === "finish") finishes.set(event.candidate ?? 0, event.finish);
    else if (event.type === "part-start" || event.type === "part-whole") {
      parts.set(event.index, { candidate: event.candidate ?? 0, part: event.part });
    } else if (event.type !== "ping") {
      const slot = parts.get(event.index);
      if (slot !== undefined) slot.part = grow(slot.part, event);
    }
  }
  const candidates = [...finishes].map(
    ([candidate, finish]): Candidate => ({
      parts: [...parts]
        .sort(([left], [right]) => left - right)
        .filter(([, slot]) => slot.candidate === candidate)
        .map(([, slot]) => slot.part),
      finish,
    }),
  );
  return { ...identity, candidates, usage };
}

type Growth = Extract<
  ExchangeEvent,
  { type: "text-delta" | "arguments-delta" | "signature-delta" | "citation" | "part-end" }
>;

function grow(part: Part, event: Growth): Part {
  if (event.type === "text-delta" && part.type === "text" && event.logprobs !== undefined) {
    const logprobs = [...(part.logprobs ?? []), ...event.logprobs];
    return { ...part, text: part.text + event.text, logprobs };
  }
  if (event.type === "text-delta" && "text" in part) return { ...part, text: part.text + event.text };
  if (event.type === "arguments-delta" && part.type === "tool-call") {
    return { ...part, arguments: part.arguments + event.text };
  }
  const isSigned = part.type === "reasoning" || part.type === "tool-call" || part.type === "text";
  if (event.type === "signature-delta" && isSigned) {
    return { ...part, signature: (part.signature ?? "") + event.signature };
  }
  if (event.type === "citation" && part.type === "text") {
    const citations: readonly Citation[] = [...(part.citations ?? []), event.citation];
    return { ...part, citations };
  }
  if (event.type !== "part-end" || event.part?.origin === undefined) return part;
  return { ...part, origin: event.part.origin };
}

/** Returns the content of a response without data of its origin: ids, formats and vendor-specific members. */
export function withoutOrigin(response: ExchangeResponse) {
  const { usage } = response;
  return {
    candidates: response.candidates.map(({ parts, finish }) => ({
      parts: parts.map(bare),
      finish: finish.unified,
    })),
    usage: usage === undefined ? undefined : { input: usage.input, output: usage.output },
  };
}

export function bare(part: Part): unknown {
  const { origin: _, ...rest } = part;
  if (rest.type === "reasoning") {
    const { id: __, ...thought } = rest;
    return thought;
  }
  if (rest.type !== "text" || rest.citations === undefined) return rest;
  return { ...rest, citations: rest.citations.map(({ origin: __, ...citation }) => citation) };
}

/** A message with one text part. */
export function text(value: string): Part {
  return { type: "text", text: value };
}
