import { randomUUID } from "node:crypto";
import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import { DialectError, unreadableAnswer } from "../../exchange/dialect-error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { parseJson } from "../../exchange/json.ts";
import type { Candidate, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { definedMembers } from "../shared/defined.ts";
import { type CandidateReader, createCandidateReader } from "./candidate-reader.ts";
import { blockedCandidate, parseAnswer, statusOf } from "./decode-response.ts";
import { decodeError } from "./errors.ts";
import type { WireResponse } from "./schema.ts";
import { decodeUsage } from "./usage.ts";

interface DecoderState {
  started: boolean;
  ended: boolean;
  nextIndex: number;
  /** Candidates by their index. */
  readonly readers: Map<number, CandidateReader>;
  /** Counts on each chunk are cumulative: the last ones hold. */
  usage: Usage | undefined;
  blocked: Candidate | undefined;
  readonly fallbackId: string;
}

/**
 * Reads chunks that are each a `GenerateContentResponse`. The vendor marks no end but the end of the stream, so the
 * finish is told there: chunks with nothing but usage may follow the one that names the reason.
 */
export function createStreamDecoder(): StreamDecoder {
  const state: DecoderState = {
    started: false,
    ended: false,
    nextIndex: 0,
    readers: new Map(),
    usage: undefined,
    blocked: undefined,
    fallbackId: randomUUID(),
  };
  return {
    push(event) {
      if (state.ended || event.data === "" || event.data === "[DONE]") return [];
      return guarded(state, () => read(parseAnswer(parse(event)), state));
    },
    end() {
      if (state.ended) return [];
      return guarded(state, () => finish(state));
    },
  };
}

function guarded(state: DecoderState, run: () => ExchangeEvent[]): ExchangeEvent[] {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof DialectError)) throw error;
    state.ended = true;
    return [{ type: "error", error: error.error }];
  }
}

function parse(event: WireEvent): unknown {
  try {
    return parseJson(event.data);
  } catch {
    throw unreadableAnswer("The upstream sent an event that is not JSON.", event.data.slice(0, 200));
  }
}

function read(wire: WireResponse, state: DecoderState): ExchangeEvent[] {
  if (wire.error !== undefined) throw new DialectError(decodeError(statusOf(wire.error), {}, wire));
  const usage = decodeUsage(wire.usageMetadata);
  state.usage = mergeUsage(state.usage, usage);
  state.blocked ??= blockedCandidate(wire);
  const events: ExchangeEvent[] = [];
  if (!state.started) {
    state.started = true;
    events.push({
      type: "start",
      ...definedMembers({ id: wire.responseId, model: wire.modelVersion, usage }),
    });
  }
  for (const [position, candidate] of (wire.candidates ?? []).entries()) {
    const index = candidate.index ?? position;
    const reader = state.readers.get(index) ?? createCandidateReader(index, () => state.nextIndex++);
    state.readers.set(index, reader);
    events.push(...reader.read(candidate, wire.responseId ?? state.fallbackId));
  }
  return events;
}

function finish(state: DecoderState): ExchangeEvent[] {
  const events: ExchangeEvent[] = [];
  for (const reader of state.readers.values()) {
    const ending = reader.finish();
    if (ending === undefined) throw unfinished();
    events.push(...ending);
  }
  if (state.readers.size === 0) {
    if (state.blocked === undefined) throw unfinished();
    events.push({ type: "finish", finish: state.blocked.finish });
  }
  state.ended = true;
  // All parts have to be closed before the first finish.
  const closing = events.filter((event) => event.type !== "finish");
  const finishes = events.filter((event) => event.type === "finish");
  return [...closing, ...finishes, { type: "end", ...definedMembers({ usage: state.usage }) }];
}

function unfinished(): DialectError {
  return unreadableAnswer("The upstream's stream stopped before the answer was complete.");
}
