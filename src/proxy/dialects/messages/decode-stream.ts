import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { tryParseExactJson } from "../../exchange/json.ts";
import { decodeInnerError } from "./errors.ts";
import { decodeFinish } from "./finish.ts";
import { eventSchema, type WireStreamEvent } from "./schema.ts";
import { type BlockReader, openBlock } from "./stream-reader.ts";
import { decodeUsage } from "./usage.ts";

/** Decodes a stream of events. A stream that ends without `message_stop` is an error. */
class MessagesStreamDecoder implements StreamDecoder {
  private readonly blocks = new Map<number, BlockReader>();
  private events: ExchangeEvent[] = [];
  private parts = 0;
  private started = false;
  private ended = false;
  private finish: ExchangeEvent = { type: "finish", finish: { unified: "other" } };

  push(event: WireEvent): readonly ExchangeEvent[] {
    return this.drain(() => this.read(event.data));
  }

  end(): readonly ExchangeEvent[] {
    return this.drain(() => this.fail("The upstream's stream ended before the response was complete."));
  }

  private drain(step: () => void): readonly ExchangeEvent[] {
    if (this.ended) return [];
    this.events = [];
    try {
      step();
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      this.failWith(error.error);
    }
    return this.events;
  }

  private emit(event: ExchangeEvent): void {
    this.events.push(event);
  }

  private fail(message: string): void {
    this.failWith({ kind: "upstream", status: 502, message });
  }

  private failWith(error: ExchangeError): void {
    this.ended = true;
    this.emit({ type: "error", error });
  }

  private read(data: string) {
    if (data === "") return;
    const body = tryParseExactJson(data);
    const parsed = eventSchema.safeParse(body, FIRST_ISSUE);
    if (!parsed.success) return this.fail("The upstream sent an event that is not defined in its dialect.");
    const event = parsed.data;
    if (event.type === "error") return this.failWith(decodeInnerError(body));
    if (event.type === "ping") return this.emit({ type: "ping" });
    if (event.type === "message_start") return this.start(event);
    if (!this.started) return this.fail("The upstream's stream does not begin with message_start.");
    this.take(event);
  }

  private start({ message }: WireStreamEvent) {
    // Some gateways send `message_start` twice.
    if (this.started) return;
    this.started = true;
    const usage = message?.usage ? { usage: decodeUsage(message.usage) } : {};
    const id = message?.id ? { id: message.id } : {};
    const model = message?.model ? { model: message.model } : {};
    this.emit({ type: "start", ...id, ...model, ...usage });
  }

  private take(event: WireStreamEvent) {
    const index = event.index ?? 0;
    switch (event.type) {
      case "content_block_start":
        if (!event.content_block) return this.fail("The upstream opened a block without content_block.");
        this.blocks.set(
          index,
          openBlock(
            event.content_block,
            () => this.parts++,
            (made) => this.emit(made),
          ),
        );
        return;
      case "content_block_delta":
        if (!this.blocks.has(index))
          return this.fail("The upstream sent content for a block that is not open.");
        if (event.delta) this.blocks.get(index)?.delta(event.delta);
        return;
      case "content_block_stop":
        this.blocks.get(index)?.end();
        this.blocks.delete(index);
        return;
      case "message_delta": {
        const { delta, usage } = event;
        if (usage) this.emit({ type: "usage", usage: decodeUsage(usage) });
        if (!delta?.stop_reason) return;
        const explanation = delta.stop_details?.explanation;
        this.finish = {
          type: "finish",
          finish: decodeFinish(delta.stop_reason, delta.stop_sequence, explanation),
        };
        return;
      }
      case "message_stop":
        return this.stop();
    }
  }

  private stop(): void {
    for (const block of this.blocks.values()) block.end();
    this.emit(this.finish);
    this.emit({ type: "end" });
    this.ended = true;
  }
}

/** Creates a decoder for one stream. */
export function createStreamDecoder(): StreamDecoder {
  return new MessagesStreamDecoder();
}
