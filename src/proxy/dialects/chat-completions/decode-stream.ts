import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { isObject } from "../../exchange/json.ts";
import { decodeError } from "./errors.ts";
import { chunkSchema, type WireChunk } from "./schema.ts";
import { createStreamCandidate } from "./stream-candidate.ts";
import { decodeUsage } from "./usage.ts";

/**
 * Reads a stream of chunks. It ends with `[DONE]`, or with the file where every candidate had its `finish_reason`:
 * several upstreams leave `[DONE]` out. The finish is told only then, since usage and even content may follow it.
 */
export function createStreamDecoder(): StreamDecoder {
  const candidates = new Map<number, ReturnType<typeof createStreamCandidate>>();
  let events: ExchangeEvent[] = [];
  let parts = 0;
  let responseId = "";
  let started = false;
  let ended = false;

  const emit = (event: ExchangeEvent) => void events.push(event);
  const fail = (error: ExchangeError) => {
    ended = true;
    emit({ type: "error", error });
  };
  const start = (chunk: WireChunk) => {
    started = true;
    responseId = chunk.id ?? "";
    emit({
      type: "start",
      ...(chunk.id ? { id: chunk.id } : {}),
      ...(chunk.model ? { model: chunk.model } : {}),
      ...(chunk.created ? { created: chunk.created } : {}),
    });
  };
  const candidateAt = (index: number) => {
    let candidate = candidates.get(index);
    if (candidate === undefined) {
      candidate = createStreamCandidate({
        candidate: index,
        emit,
        nextIndex: () => parts++,
        responseId: () => responseId,
      });
      candidates.set(index, candidate);
    }
    return candidate;
  };
  const take = (chunk: WireChunk) => {
    const choices = chunk.choices ?? [];
    // Azure opens with a chunk that holds neither id nor choices.
    if (!started && (chunk.id || choices.length > 0)) start(chunk);
    for (const choice of choices) candidateAt(choice.index ?? 0).take(choice.delta, choice.finish_reason);
    if (chunk.usage) emit({ type: "usage", usage: decodeUsage(chunk.usage) });
  };
  const finish = () => {
    if (candidates.size === 0) return fail(cutOff);
    ended = true;
    for (const candidate of candidates.values()) candidate.close();
    emit({ type: "end" });
  };
  const push = (event: WireEvent) => {
    if (event.data === "[DONE]") return finish();
    if (event.data === "") return;
    const body = readJson(event.data);
    if (isObject(body) && body["error"]) return fail(decodeError(statusIn(body["error"]), {}, body));
    const result = chunkSchema.safeParse(body);
    if (!result.success) return fail(unreadable);
    take(result.data);
  };
  const drain = (step: () => void): readonly ExchangeEvent[] => {
    if (ended) return [];
    events = [];
    step();
    return events;
  };
  return {
    push: (event) => drain(() => push(event)),
    end: () =>
      drain(() => {
        const all = [...candidates.values()];
        if (all.length > 0 && all.every((candidate) => candidate.finished)) finish();
        else fail(cutOff);
      }),
  };
}

const cutOff: ExchangeError = {
  kind: "upstream",
  status: 502,
  message: "The upstream's stream ended before the answer did.",
};
const unreadable: ExchangeError = {
  kind: "upstream",
  status: 502,
  message: "The upstream sent an event that is no chat completion chunk.",
};

/** Arguments are text in this dialect's streams, so no number needs keeping digit by digit. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Errors in a stream carry their status in `code`, if at all. */
function statusIn(error: unknown): number {
  const code = isObject(error) ? Number(error["code"] ?? error["status"]) : Number.NaN;
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : 502;
}
