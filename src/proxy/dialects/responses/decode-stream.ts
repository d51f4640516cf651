import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import type { Delta, ExchangeEvent } from "../../exchange/event.ts";
import { parseJson } from "../../exchange/json.ts";
import type { Part } from "../../exchange/parts.ts";
import { parseResponsePiece } from "../shared/parse.ts";
import { decodeTokens } from "../shared/token-logprobs.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { decodeAnnotation } from "./decode-content.ts";
import { decodeFinish, decodeIdentity, decodeIndexedParts, decodeUsage } from "./decode-response.ts";
import { decodeResponseError } from "./errors.ts";
import { eventSchema, type WireResponse, type WireStreamEvent } from "./schema.ts";
import { ItemReader, type ItemStream } from "./stream-reader.ts";

/**
 * Decodes a stream of `response.*` events. Items are identified by `output_index`, because some servers change ids
 * within a stream.
 */
class ResponsesStreamDecoder implements StreamDecoder, ItemStream {
  private readonly items = new Map<number, ItemReader>();
  /** Parts emitted so far. The finish reason depends on their types. */
  private readonly sentParts: Pick<Part, "type">[] = [];
  private events: ExchangeEvent[] = [];
  private parts = 0;
  private started = false;
  private ended = false;

  push(event: WireEvent): readonly ExchangeEvent[] {
    if (this.ended || event.data === "" || event.data === "[DONE]") return [];
    this.events = [];
    try {
      this.read(parseEvent(event));
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      this.fail(error);
    }
    return this.events;
  }

  end(): readonly ExchangeEvent[] {
    if (this.ended) return [];
    this.events = [];
    this.fail(invalidResponse("The upstream's stream ended before the response was complete."));
    return this.events;
  }

  note(delta: Delta): void {
    for (const item of this.items.values()) item.note(delta);
  }

  nextIndex(): number {
    return this.parts++;
  }

  emit(event: ExchangeEvent): void {
    if (event.type === "part-start" || event.type === "part-whole") this.sentParts.push(event.part);
    this.events.push(event);
  }

  private fail({ error }: Pick<DialectError, "error">): void {
    this.ended = true;
    this.emit({ type: "error", error });
  }

  private read(event: WireStreamEvent) {
    switch (event.type) {
      case "error":
        return this.fail({ error: decodeResponseError({ error: event.error ?? event, status: "failed" }) });
      case "response.failed":
      case "response.cancelled":
        return this.fail({ error: decodeResponseError(event.response ?? { error: event.error }) });
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return this.start(event.response ?? undefined);
      case "response.completed":
      case "response.incomplete":
      case "response.done":
        this.start(event.response ?? undefined);
        return this.finish(event.response ?? {});
      case "keepalive":
        return this.emit({ type: "ping" });
    }
    if (typeof event.output_index !== "number") return;
    this.start(undefined);
    dispatch(event, this.itemAt(event.output_index), event.output_index);
  }

  private start(response: WireResponse | undefined): void {
    if (this.started) return;
    this.started = true;
    this.emit({ type: "start", ...(response === undefined ? {} : decodeIdentity(response)) });
  }

  private itemAt(outputIndex: number): ItemReader {
    const known = this.items.get(outputIndex);
    if (known !== undefined) return known;
    const item = new ItemReader(this);
    this.items.set(outputIndex, item);
    return item;
  }

  private finish(response: WireResponse): void {
    this.ended = true;
    // Some servers send items only in the last event, and some send no end event for an item.
    for (const [index, value] of (response.output ?? []).entries()) {
      this.itemAt(index).done(decodeIndexedParts(value, index));
    }
    for (const item of this.items.values()) item.close();
    const status = response.status ?? "completed";
    this.emit({ type: "finish", finish: decodeFinish({ ...response, status }, this.sentParts) });
    this.emit({ type: "end", ...withoutNullish({ usage: decodeUsage(response) }) });
  }
}

/** Creates a decoder for one stream. */
export function createStreamDecoder(): StreamDecoder {
  return new ResponsesStreamDecoder();
}

function parseEvent(event: WireEvent): WireStreamEvent {
  let value: unknown;
  try {
    value = parseJson(event.data);
  } catch {
    throw invalidResponse("The upstream sent an event that is not JSON.", event.data.slice(0, 200));
  }
  return parseResponsePiece(eventSchema, value, "event of the responses dialect");
}

function dispatch(event: WireStreamEvent, item: ItemReader, outputIndex: number) {
  const at = event.content_index ?? 0;
  switch (event.type) {
    case "response.output_item.added":
      return item.added(event.item ?? {});
    case "response.output_text.delta":
      return item.text(at, "text", event.delta ?? "", decodeTokens(event.logprobs));
    case "response.output_text.done":
      return item.textDone(at, "text", event.text ?? "");
    case "response.refusal.delta":
      return item.text(at, "refusal", event.delta ?? "");
    case "response.refusal.done":
      return item.textDone(at, "refusal", event.refusal ?? "");
    case "response.output_text.annotation.added":
      return item.citation(at, decodeAnnotation(event.annotation));
    case "response.reasoning_summary_text.delta":
      return item.thought(event.summary_index ?? 0, event.delta ?? "", true);
    case "response.reasoning_text.delta":
      return item.thought(at, event.delta ?? "", false);
    case "response.function_call_arguments.delta":
    case "response.custom_tool_call_input.delta":
    case "response.mcp_call_arguments.delta":
      return item.input(event.delta ?? "");
    case "response.function_call_arguments.done":
      return item.inputDone(event.arguments ?? "");
    case "response.custom_tool_call_input.done":
      return item.inputDone(event.input ?? "");
    case "response.output_item.done":
      return item.done(decodeIndexedParts(event.item ?? {}, outputIndex));
  }
}
