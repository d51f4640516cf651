import { keepAliveComment, serializeLine } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import { isCutOff } from "../../exchange/cut-off.ts";
import type { ExchangeEvent, OpenPartEvent } from "../../exchange/event.ts";
import { createLossList, type Loss } from "../../exchange/loss.ts";
import type { Finish, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { createEventWriter } from "./event-writer.ts";
import {
  createFrame,
  encodeServiceTier,
  encodeUsage,
  type FinalStatus,
  getFailure,
  getFinalStatus,
  getLastStatus,
  type Identity,
  type ResponseFrame,
} from "./response-object.ts";
import { type PartWriter, PartWriters } from "./stream-writer.ts";

interface Begun {
  readonly frame: ResponseFrame;
  readonly writers: PartWriters;
}

/**
 * Encodes a stream of `response.*` events with consecutive sequence numbers. The terminal event contains the complete
 * response. `[DONE]` follows it if `endsWithDone` is set.
 */
class ResponsesStreamEncoder implements StreamEncoder {
  private readonly list = createLossList();
  private readonly events = createEventWriter();
  private readonly open = new Map<number, PartWriter>();
  private begun: Begun | undefined;
  private usage: Usage | undefined;
  private finish: Finish = { unified: "stop" };
  private ended = false;

  constructor(private readonly context: EncodeContext) {}

  get losses(): readonly Loss[] {
    return this.list.losses;
  }

  push(event: ExchangeEvent): string {
    if (this.ended) return "";
    if (event.type === "ping") return keepAliveComment;
    if ("candidate" in event && (event.candidate ?? 0) > 0) {
      this.list.add("candidates", "Candidates after the first dropped: the dialect has only one.");
    } else this.take(event);
    const text = this.events.take();
    return this.ended && this.context.endsWithDone === true ? text + serializeLine("[DONE]") : text;
  }

  private take(event: Exclude<ExchangeEvent, { type: "ping" }>): void {
    switch (event.type) {
      case "start":
        this.usage = mergeUsage(this.usage, event.usage);
        this.begin(event);
        return;
      case "usage":
        this.usage = mergeUsage(this.usage, event.usage);
        return;
      case "part-start":
        this.open.set(event.index, this.current().writers.start(event.part));
        return;
      case "part-whole":
        this.current().writers.whole(event.part);
        return;
      case "finish":
        this.finish = event.finish;
        return;
      case "end":
        this.usage = mergeUsage(this.usage, event.usage);
        this.finishAll();
        return;
      case "error":
        this.terminate(getFailure(event.error));
        return;
      default:
        this.writePart(event);
    }
  }

  private writePart(event: OpenPartEvent): void {
    const writer = this.open.get(event.index);
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
        this.open.delete(event.index);
        writer.end(event.part);
    }
  }

  private begin(identity: Identity): Begun {
    const { context, events, list } = this;
    const frame = createFrame(identity, context);
    const writers = new PartWriters({ responseId: frame.id, context, events, losses: list });
    this.begun = { frame, writers };
    events.write("response.created", { response: frame });
    events.write("response.in_progress", { response: frame });
    return this.begun;
  }

  /** Returns the response that has begun. Begins a response if the upstream sent no start event. */
  private current(): Begun {
    return this.begun ?? this.begin({});
  }

  private finishAll(): void {
    const { writers } = this.current();
    const final = getFinalStatus(this.finish, writers.refused);
    const problem = writers.settle(isCutOff(this.finish), getLastStatus(final));
    this.terminate(problem === undefined ? final : getFailure(problem));
  }

  private terminate(final: FinalStatus): void {
    const { frame, writers } = this.current();
    const at = final.status === "completed" ? { completed_at: Math.floor(this.context.now / 1000) } : {};
    const usage = encodeUsage(this.usage);
    const tier = encodeServiceTier(this.usage);
    const response = { ...frame, ...final, ...at, ...tier, output: writers.output(), usage };
    this.events.write(`response.${final.status}`, { response });
    this.ended = true;
  }
}

/** Creates an encoder for one stream. */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  return new ResponsesStreamEncoder(context);
}
