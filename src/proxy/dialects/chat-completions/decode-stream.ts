import { randomUUID } from "node:crypto";
import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { isObject, tryParseExactJson } from "../../exchange/json.ts";
import type { Citation } from "../../exchange/parts.ts";
import { decodePages } from "./citations.ts";
import { decodeInnerError } from "./errors.ts";
import { chunkSchema, type WireChunk } from "./schema.ts";
import { StreamCandidate } from "./stream-reader.ts";
import { decodeUsage } from "./usage.ts";

/** The state that all candidates of a stream share, and the receiver of their events. */
export interface ChatStream {
  /** A unique id, from which the ids of tool calls without an id are derived. */
  readonly responseId: string;
  nextIndex(): number;
  emit(event: ExchangeEvent): void;
}

/**
 * Decodes a stream of chunks. The stream is complete at `[DONE]`, or at its end if every candidate has a
 * `finish_reason`, because several upstreams omit `[DONE]`. Finish events are emitted only when the stream is complete,
 * because upstreams send usage, and some of them content, after a `finish_reason`.
 */
class ChatStreamDecoder implements StreamDecoder, ChatStream {
  /** A random id, because many compatible servers send the same id with every response, or no id. */
  readonly responseId = randomUUID();
  private readonly candidates = new Map<number, StreamCandidate>();
  private events: ExchangeEvent[] = [];
  private parts = 0;
  /** Citations of the whole response, not of a range of its text. Chunks repeat them. */
  private pages: readonly Citation[] = [];
  private started = false;
  private ended = false;

  push(event: WireEvent): readonly ExchangeEvent[] {
    if (this.ended || event.data === "") return [];
    this.events = [];
    if (event.data === "[DONE]") this.finish();
    else this.read(event);
    return this.events;
  }

  end(): readonly ExchangeEvent[] {
    if (this.ended) return [];
    this.events = [];
    const all = [...this.candidates.values()];
    if (all.length > 0 && all.every((candidate) => candidate.finished)) this.finish();
    else this.fail(cutOff);
    return this.events;
  }

  readsText(index: number): boolean {
    for (const candidate of this.candidates.values()) if (candidate.readsText(index)) return true;
    return false;
  }

  nextIndex(): number {
    return this.parts++;
  }

  emit(event: ExchangeEvent): void {
    this.events.push(event);
  }

  private fail(error: ExchangeError): void {
    this.ended = true;
    this.emit({ type: "error", error });
  }

  private read({ event, data }: WireEvent) {
    const body = tryParseExactJson(data);
    if (isObject(body) && (body["error"] || event === "error" || body["object"] === "error"))
      return this.fail(decodeInnerError(body));
    const result = chunkSchema.safeParse(body, FIRST_ISSUE);
    if (result.success) this.take(result.data);
    else this.fail(unreadable);
  }

  private take(chunk: WireChunk): void {
    const choices = chunk.choices ?? [];
    // Azure's first chunk has no id and no choices.
    if (!this.started && (chunk.id || choices.length > 0)) this.start(chunk);
    for (const choice of choices) this.candidateAt(choice.index ?? 0).take(choice);
    const pages = decodePages(chunk);
    if (pages.length > 0) this.pages = pages;
    // Moonshot reports usage in the last choice, and Groq reports it in `x_groq`.
    const usage = chunk.usage ?? choices.find((choice) => choice.usage)?.usage ?? chunk.x_groq?.usage;
    if (usage) this.emit({ type: "usage", usage: decodeUsage(usage, chunk.service_tier) });
  }

  private start(chunk: WireChunk): void {
    this.started = true;
    this.emit({
      type: "start",
      ...(chunk.id ? { id: chunk.id } : {}),
      ...(chunk.model ? { model: chunk.model } : {}),
      ...(chunk.created ? { created: chunk.created } : {}),
    });
  }

  private candidateAt(index: number): StreamCandidate {
    const known = this.candidates.get(index);
    if (known !== undefined) return known;
    const candidate = new StreamCandidate(index, this);
    this.candidates.set(index, candidate);
    return candidate;
  }

  private finish() {
    if (this.candidates.size === 0) return this.fail(cutOff);
    this.ended = true;
    for (const candidate of this.candidates.values()) candidate.close(this.pages);
    this.emit({ type: "end" });
  }
}

/** Creates a decoder for one stream. */
export function createStreamDecoder(): StreamDecoder {
  return new ChatStreamDecoder();
}

const cutOff: ExchangeError = {
  kind: "upstream",
  status: 502,
  message: "The upstream's stream ended before the response was complete.",
};
const unreadable: ExchangeError = {
  kind: "upstream",
  status: 502,
  message: "The upstream sent an event that is not a chat completion chunk.",
};
