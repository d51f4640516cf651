import { keepAliveComment } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { createLossList } from "../../exchange/loss.ts";
import type { Finish, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { createEventWriter } from "./event-writer.ts";
import { createPartWriters, type PartWriter } from "./part-writers.ts";
import {
  createFrame,
  type Ending,
  encodeUsage,
  endingOf,
  failureOf,
  type ResponseFrame,
} from "./response-object.ts";

/**
 * Writes the `response.*` events: sequence numbers without a gap, every item opened, filled and closed, one terminal
 * event that holds the whole response, and no `[DONE]`.
 */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  const losses = createLossList();
  const events = createEventWriter();
  let frame: ResponseFrame | undefined;
  let writers: ReturnType<typeof createPartWriters> | undefined;
  let usage: Usage | undefined;
  let finish: Finish = { unified: "stop" };
  let ended = false;
  const open = new Map<number, PartWriter>();

  const begin = (event: { readonly id?: string; readonly created?: number }) => {
    frame = createFrame(event, context);
    writers = createPartWriters({ responseId: frame.id, context, events, losses });
    events.write("response.created", { response: frame });
    events.write("response.in_progress", { response: frame });
    return { frame, writers };
  };
  const begun = () => (frame && writers ? { frame, writers } : begin({}));

  const terminate = (ending: Ending) => {
    const { frame: opened, writers: items } = begun();
    const at = ending.status === "completed" ? { completed_at: Math.floor(context.now / 1000) } : {};
    const response = { ...opened, ...ending, ...at, output: items.output(), usage: encodeUsage(usage) };
    events.write(`response.${ending.status}`, { response });
    ended = true;
  };
  const finishAll = () => {
    const { writers: items } = begun();
    const problem = items.settle(finish.unified === "length" || finish.unified === "context-overflow");
    terminate(problem === undefined ? endingOf(finish, items.refused()) : failureOf(problem));
  };

  const take = (event: ExchangeEvent): void => {
    if ("candidate" in event && (event.candidate ?? 0) > 0) {
      losses.add("candidates", "There is one answer only in the responses dialect.");
      return;
    }
    switch (event.type) {
      case "start":
        usage = mergeUsage(usage, event.usage);
        begin(event);
        return;
      case "usage":
        usage = mergeUsage(usage, event.usage);
        return;
      case "part-start":
        open.set(event.index, begun().writers.start(event.part));
        return;
      case "part-whole":
        begun().writers.whole(event.part);
        return;
      case "finish":
        finish = event.finish;
        return;
      case "end":
        usage = mergeUsage(usage, event.usage);
        finishAll();
        return;
      case "error":
        terminate(failureOf(event.error));
        return;
      case "ping":
        return;
      default:
        tellPart(event, open);
    }
  };
  return {
    push(event) {
      if (ended) return "";
      if (event.type === "ping") return keepAliveComment;
      take(event);
      return events.take();
    },
    get losses() {
      return losses.losses;
    },
  };
}

type PartEvent = Extract<
  ExchangeEvent,
  { type: "text-delta" | "arguments-delta" | "signature-delta" | "citation" | "part-end" }
>;

function tellPart(event: PartEvent, open: Map<number, PartWriter>): void {
  const writer = open.get(event.index);
  if (writer === undefined) return;
  switch (event.type) {
    case "text-delta":
      writer.delta(event.text, event.logprobs);
      return;
    case "arguments-delta":
      writer.delta(event.text);
      return;
    case "signature-delta":
      writer.signature?.(event.signature);
      return;
    case "citation":
      writer.citation?.(event.citation);
      return;
    case "part-end":
      open.delete(event.index);
      writer.end(event.part);
  }
}
