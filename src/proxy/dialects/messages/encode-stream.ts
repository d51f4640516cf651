import { keepAliveComment, serializeLine } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { createLossList, type Loss } from "../../exchange/loss.ts";
import type { Finish, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { messageId } from "./encode-response.ts";
import { encodeFinish } from "./finish.ts";
import { encodeError } from "./profile.ts";
import { BlockWriter } from "./stream-writer.ts";
import { encodeFinalUsage, encodeUsage } from "./usage.ts";

/**
 * Encodes a stream: `message_start`, the blocks one after the other, one `message_delta` with the stop reason and the
 * token counts, and `message_stop`. A stream that fails ends with an `error` event instead.
 */
class MessagesStreamEncoder implements StreamEncoder {
  private readonly list = createLossList();
  private readonly blocks: BlockWriter;
  private usage: Usage | undefined;
  private finish: Finish = { unified: "other" };
  private started = false;
  private ended = false;

  constructor(private readonly context: EncodeContext) {
    this.blocks = new BlockWriter(this.list);
  }

  get losses(): readonly Loss[] {
    return this.list.losses;
  }

  push(event: ExchangeEvent): string {
    if (this.ended) return "";
    switch (event.type) {
      case "start":
        return this.start(event);
      case "usage":
        this.usage = mergeUsage(this.usage, event.usage);
        return "";
      case "finish":
        if ((event.candidate ?? 0) === 0) this.finish = event.finish;
        return "";
      case "end":
        this.usage = mergeUsage(this.usage, event.usage);
        return this.end();
      case "error":
        this.ended = true;
        return serializeLine(JSON.stringify(encodeError(event.error).body), "error");
      case "ping":
        return this.started ? ping : keepAliveComment;
      default:
        return this.blocks.push(event);
    }
  }

  /** Encodes `message_start`, with an estimate of the input tokens if the upstream reports the count later. */
  private start({ id, model, usage }: Extract<ExchangeEvent, { type: "start" }>): string {
    this.started = true;
    this.usage = mergeUsage(this.usage, usage);
    const estimate = this.context.inputEstimate;
    const input = this.usage?.input ?? (estimate === undefined ? undefined : { total: estimate });
    // Output tokens are reported at the end only, because LangChain adds the counts of both events.
    const early = input === undefined ? undefined : { input, output: {} };
    const message = {
      id: messageId(id, this.context),
      type: "message",
      role: "assistant",
      model: model ?? this.context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: encodeUsage(early, 0),
    };
    return serializeLine(JSON.stringify({ type: "message_start", message }), "message_start");
  }

  private end(): string {
    this.ended = true;
    const rest = this.blocks.end();
    const delta = encodeFinish(this.finish, this.blocks.seen);
    const usage = encodeFinalUsage(this.usage, this.blocks.searches);
    const last = JSON.stringify({ type: "message_delta", delta, usage });
    return `${rest}${serializeLine(last, "message_delta")}${stop}`;
  }
}

const ping = serializeLine('{"type": "ping"}', "ping");
const stop = serializeLine('{"type":"message_stop"}', "message_stop");

/** Creates an encoder for one stream. */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  return new MessagesStreamEncoder(context);
}
