import type { ExchangeEvent } from "../exchange/event.ts";
import type { Part, TextPart, TokenLogprob, ToolCallPart } from "../exchange/parts.ts";
import type { CustomTool, ExchangeRequest, FunctionTool, Sampling, Turn } from "../exchange/request.ts";
import type { Candidate, ExchangeResponse, Finish, Usage } from "../exchange/response.ts";
import { countText } from "../usage/count-text.ts";
import { createSample } from "./sample-value.ts";

/** Maximum number of candidates; OpenAI's limit of `n`. */
const MAX_CANDIDATES = 128;

/**
 * Returns the echo's response: the last user message (as JSON, or a sample of a JSON schema, if the client asks for
 * it), or tool calls whose sample arguments fit the tools' schemas. The echo calls a tool if the client requires a call
 * or the message asks for one. It honors the options that models have: the number of candidates, stop sequences, the
 * output limit and log probabilities. `earlier` are the stored turns that the request continues; the echo repeats their
 * user messages too.
 */
export function composeEcho(
  request: ExchangeRequest,
  id: string,
  earlier: readonly Turn[] = [],
): ExchangeResponse {
  const calls = callsFor(request, id);
  const { sampling } = request;
  const candidate =
    calls.length > 0 ? callCandidate(calls) : textCandidate(textFor(request, earlier), sampling);
  const count = Math.min(Math.max(sampling.candidates ?? 1, 1), MAX_CANDIDATES);
  return {
    id,
    model: request.model,
    candidates: Array.from({ length: count }, (_, index) =>
      index === 0 ? candidate : apart(candidate, index),
    ),
    usage: estimateUsage(request, earlier, candidate.parts, count),
  };
}

/** Yields the response as stream events: a text token by token, the arguments of a tool call at once. */
export function* echoEvents(response: ExchangeResponse): Generator<ExchangeEvent> {
  const { usage } = response;
  yield { type: "start", id: response.id, usage };
  let index = 0;
  for (const [candidate, { parts, finish }] of response.candidates.entries()) {
    for (const part of parts) {
      if (part.type === "text") yield* textEvents(part, index, candidate);
      else if (part.type === "tool-call") {
        yield { type: "part-start", index, candidate, part: { ...part, arguments: "" } };
        yield { type: "arguments-delta", index, text: part.arguments };
        yield { type: "part-end", index };
      }
      index += 1;
    }
    yield { type: "finish", candidate, finish };
  }
  yield { type: "end", usage };
}

function* textEvents(part: TextPart, index: number, candidate: number): Generator<ExchangeEvent> {
  yield { type: "part-start", index, candidate, part: { type: "text", text: "" } };
  for (const [at, text] of tokensOf(part.text).entries()) {
    const logprob = part.logprobs?.[at];
    yield { type: "text-delta", index, text, ...(logprob && { logprobs: [logprob] }) };
  }
  yield { type: "part-end", index };
}

function callCandidate(parts: readonly ToolCallPart[]): Candidate {
  return { parts, finish: { unified: "tool-calls" } };
}

/** Returns another candidate: a copy with different ids. */
function apart({ parts, finish }: Candidate, index: number): Candidate {
  return {
    parts: parts.map((part) => (part.type === "tool-call" ? { ...part, id: `${part.id}_${index}` } : part)),
    finish,
  };
}

function textCandidate(whole: string, sampling: Sampling): Candidate {
  const cut = cutAtStop(whole, sampling.stop ?? []);
  const tokens = tokensOf(cut.text);
  const most = sampling.maxOutputTokens ?? tokens.length;
  const isCut = tokens.length > most;
  const kept = isCut ? tokens.slice(0, most) : tokens;
  const part: TextPart = {
    type: "text",
    text: kept.join(""),
    ...(sampling.logprobs && { logprobs: kept.map((token) => toLogprob(token, sampling.topLogprobs ?? 0)) }),
  };
  return { parts: [part], finish: isCut ? { unified: "length" } : cut.finish };
}

function cutAtStop(
  text: string,
  stops: readonly string[],
): { readonly text: string; readonly finish: Finish } {
  let first: { readonly at: number; readonly stop: string } | undefined;
  for (const stop of stops) {
    const at = stop === "" ? -1 : text.indexOf(stop);
    if (at >= 0 && (first === undefined || at < first.at)) first = { at, stop };
  }
  if (first === undefined) return { text, finish: { unified: "stop" } };
  return {
    text: text.slice(0, first.at),
    finish: { unified: "stop-sequence", stopSequence: first.stop },
  };
}

/**
 * Splits a text into the echo's tokens: words, numbers and single other characters, each with the whitespace before it,
 * and whitespace at the end.
 */
function tokensOf(text: string): readonly string[] {
  return text.match(/\s*[\p{L}\p{N}\p{M}_]+|\s*[^\s\p{L}\p{N}\p{M}_]|\s+$/gu) ?? [];
}

/** Returns log probabilities that decrease from one alternative to the next. */
function toLogprob(token: string, alternatives: number): TokenLogprob {
  const top = Array.from({ length: alternatives }, (_, index) => ({
    token: index === 0 ? token : `${token}${"'".repeat(index)}`,
    logprob: -0.01 - index,
  }));
  return { token, logprob: -0.01, top };
}

function textFor(request: ExchangeRequest, earlier: readonly Turn[]): string {
  const texts = [...earlier.filter(({ role }) => role === "user").map(({ parts }) => getText(parts))];
  const whole = [...texts, getLastUserText(request)].filter(Boolean).join("\n");
  const { output } = request;
  if (output?.type === "json-schema") return JSON.stringify(createSample(output.schema));
  return output?.type === "json" ? JSON.stringify({ echo: whole }) : `Echo: ${whole}`;
}

type CallableTool = FunctionTool | CustomTool;

/** Returns the calls that the request asks for; only the first if the client forbids parallel calls. */
function callsFor(request: ExchangeRequest, id: string): readonly ToolCallPart[] {
  const tools = request.tools.filter((tool) => tool.type !== "hosted");
  const text = getLastUserText(request);
  const chosen = chooseTools(request, tools, text);
  const called = request.parallelToolCalls === false ? chosen.slice(0, 1) : chosen;
  return called.map((tool, index) => {
    const custom = tool.type === "custom";
    return {
      type: "tool-call",
      id: index === 0 ? `call_${id}` : `call_${id}_${index}`,
      name: tool.name,
      arguments: custom ? text : JSON.stringify(createSample(tool.schema)),
      custom,
    };
  });
}

function chooseTools(
  request: ExchangeRequest,
  tools: readonly CallableTool[],
  text: string,
): readonly CallableTool[] {
  const choice = request.toolChoice ?? { mode: "auto" };
  switch (choice.mode) {
    case "none":
      return [];
    case "tool":
      return tools.filter(({ name }) => name === choice.name).slice(0, 1);
    case "required":
      return orFirst(mentioned(tools, text), tools);
    case "allowed": {
      const allowed = tools.filter(({ name }) => choice.names.includes(name));
      if (choice.required) return orFirst(mentioned(allowed, text), allowed);
      return endsWithResult(request) ? [] : mentioned(allowed, text);
    }
    default:
      // After a result, the echo responds with text, to end the client's loop.
      return endsWithResult(request) ? [] : mentioned(tools, text);
  }
}

function orFirst(chosen: readonly CallableTool[], tools: readonly CallableTool[]): readonly CallableTool[] {
  return chosen.length > 0 ? chosen : tools.slice(0, 1);
}

/**
 * Returns the tools that a message asks for: the one in "call NAME", else those whose name has several words joined
 * with `_` or `-` and whose last word, of at least four letters, the message contains (`get_weather` in "the weather in
 * Paris").
 */
function mentioned(tools: readonly CallableTool[], text: string): readonly CallableTool[] {
  const named = /\bcall (?:the tool )?["'`]?([\w.-]+)/i.exec(text)?.[1];
  const direct = tools.filter(({ name }) => name === named);
  if (direct.length > 0) return direct.slice(0, 1);
  const vocabulary = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return tools.filter(({ name }) => {
    const [last = "", ...others] = name.toLowerCase().split(/[_-]+/).toReversed();
    return others.length > 0 && last.length > 3 && vocabulary.has(last);
  });
}

function endsWithResult(request: ExchangeRequest): boolean {
  return request.turns.at(-1)?.parts.some((part) => part.type === "tool-result") ?? false;
}

function getLastUserText(request: ExchangeRequest): string {
  const turn = request.turns.findLast((each) => each.role === "user" && getText(each.parts) !== "");
  return turn ? getText(turn.parts) : "";
}

function getText(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "tool-result" ? getText(part.content) : "";
    })
    .filter(Boolean)
    .join("\n");
}

function estimateUsage(
  request: ExchangeRequest,
  earlier: readonly Turn[],
  parts: readonly Part[],
  candidates: number,
): Usage {
  const input = [...earlier, ...request.turns].reduce((sum, turn) => sum + countText(getText(turn.parts)), 3);
  const output = parts.reduce((sum, part) => sum + countOutput(part), 0);
  return {
    input: { total: Math.ceil(input) },
    output: { total: Math.ceil(output) * candidates },
    estimated: true,
  };
}

function countOutput(part: Part): number {
  if (part.type === "text") return tokensOf(part.text).length;
  return part.type === "tool-call" ? countText(part.arguments) : 0;
}
