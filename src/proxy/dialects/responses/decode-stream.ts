import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import { DialectError, unreadableAnswer } from "../../exchange/dialect-error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { parseJson } from "../../exchange/json.ts";
import type { Part } from "../../exchange/parts.ts";
import { definedMembers } from "../shared/defined.ts";
import { parseAnswerPiece } from "../shared/parse.ts";
import { decodeAnnotation } from "./decode-content.ts";
import { decodeOutputItem, decodeUsage, finishOf, identityOf } from "./decode-response.ts";
import { errorOfResponse } from "./errors.ts";
import { createItemReader, type ItemReader } from "./item-reader.ts";
import { eventSchema, type WireResponse, type WireStreamEvent } from "./schema.ts";

/** Reads a stream of `response.*` events. Items are told apart by `output_index`: some servers change ids midway. */
export function createStreamDecoder(): StreamDecoder {
  const state: DecoderState = { started: false, ended: false, items: new Map(), kinds: [], nextIndex: 0 };
  return {
    push(event) {
      if (state.ended || event.data === "" || event.data === "[DONE]") return [];
      try {
        return read(parseEvent(event), state);
      } catch (error) {
        if (!(error instanceof DialectError)) throw error;
        return fail(state, error);
      }
    },
    end() {
      if (state.ended) return [];
      return fail(state, unreadableAnswer("The upstream's stream stopped before the response was complete."));
    },
  };
}

interface DecoderState {
  started: boolean;
  ended: boolean;
  /** Readers by `output_index`, for items that have begun. */
  readonly items: Map<number, ItemReader>;
  /** The parts told so far, which decide what kind of end it was. */
  readonly kinds: Pick<Part, "type">[];
  nextIndex: number;
}

function parseEvent(event: WireEvent): WireStreamEvent {
  let value: unknown;
  try {
    value = parseJson(event.data);
  } catch {
    throw unreadableAnswer("The upstream sent an event that is not JSON.", event.data.slice(0, 200));
  }
  return parseAnswerPiece(eventSchema, value, "event of the responses dialect");
}

function fail(state: DecoderState, error: DialectError): ExchangeEvent[] {
  state.ended = true;
  return [{ type: "error", error: error.error }];
}

function read(event: WireStreamEvent, state: DecoderState): ExchangeEvent[] {
  switch (event.type) {
    case "error":
      state.ended = true;
      return [{ type: "error", error: errorOfResponse({ error: event.error ?? event, status: "failed" }) }];
    case "response.failed":
    case "response.cancelled":
      state.ended = true;
      return [{ type: "error", error: errorOfResponse(event.response ?? { error: event.error }) }];
    case "response.created":
    case "response.in_progress":
    case "response.queued":
      return start(event.response ?? undefined, state);
    case "response.completed":
    case "response.incomplete":
    case "response.done":
      return [...start(event.response ?? undefined, state), ...finish(event.response ?? {}, state)];
    case "keepalive":
      return [{ type: "ping" }];
    default:
      return typeof event.output_index === "number"
        ? [...start(undefined, state), ...readItemEvent(event, event.output_index, state)]
        : [];
  }
}

function start(response: WireResponse | undefined, state: DecoderState): ExchangeEvent[] {
  if (state.started) return [];
  state.started = true;
  return [{ type: "start", ...(response === undefined ? {} : identityOf(response)) }];
}

function readItemEvent(event: WireStreamEvent, outputIndex: number, state: DecoderState): ExchangeEvent[] {
  const known = state.items.get(outputIndex);
  const item = known ?? createItemReader(() => state.nextIndex++);
  if (known === undefined) state.items.set(outputIndex, item);
  const events = tell(event, item, outputIndex);
  for (const given of events) {
    if (given.type === "part-start" || given.type === "part-whole") state.kinds.push(given.part);
  }
  return events;
}

function tell(event: WireStreamEvent, item: ItemReader, outputIndex: number): ExchangeEvent[] {
  const at = event.content_index ?? 0;
  switch (event.type) {
    case "response.output_item.added":
      return item.added(event.item ?? {});
    case "response.output_text.delta":
      return item.text("text", at, event.delta ?? "");
    case "response.output_text.done":
      return item.textDone("text", at, event.text ?? "");
    case "response.refusal.delta":
      return item.text("refusal", at, event.delta ?? "");
    case "response.refusal.done":
      return item.textDone("refusal", at, event.refusal ?? "");
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
      return item.done(decodeOutputItem(event.item ?? {}, outputIndex));
    default:
      return [];
  }
}

function finish(response: WireResponse, state: DecoderState): ExchangeEvent[] {
  state.ended = true;
  const events: ExchangeEvent[] = [];
  // Servers that stream no items tell them here; items without an end are ended by what stands here.
  for (const [index, value] of (response.output ?? []).entries()) {
    const item = state.items.get(index) ?? createItemReader(() => state.nextIndex++);
    state.items.set(index, item);
    const told = item.done(decodeOutputItem(value, index));
    for (const given of told) {
      if (given.type === "part-start" || given.type === "part-whole") state.kinds.push(given.part);
    }
    events.push(...told);
  }
  for (const item of state.items.values()) events.push(...item.close());
  const status = response.status ?? "completed";
  return [
    ...events,
    { type: "finish", finish: finishOf({ ...response, status }, state.kinds) },
    { type: "end", ...definedMembers({ usage: decodeUsage(response) }) },
  ];
}
