import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { isObject, tryParseExactJson } from "../../exchange/json.ts";
import { decodeFinish, decodeIdentity, decodeUsage } from "./decode-response.ts";
import { decodeInnerError } from "./errors.ts";
import { responseSchema, type WireResponse } from "./schema.ts";

/**
 * Decodes a stream of completions. The stream is complete at `[DONE]`, or at its end if every candidate has a
 * `finish_reason`.
 */
class CompletionsStreamDecoder implements StreamDecoder {
  private events: ExchangeEvent[] = [];
  /** `finish_reason` by candidate; undefined until it arrives. */
  private readonly candidates = new Map<number, string | undefined>();
  private started = false;
  private ended = false;

  push(event: WireEvent): readonly ExchangeEvent[] {
    return this.drain(() => (event.data === "[DONE]" ? this.finish() : this.read(event.data)));
  }

  end(): readonly ExchangeEvent[] {
    return this.drain(() => {
      const reasons = [...this.candidates.values()];
      if (reasons.length > 0 && reasons.every((reason) => reason !== undefined)) this.finish();
      else this.fail("The upstream's stream ended before the response was complete.");
    });
  }

  private drain(step: () => void): readonly ExchangeEvent[] {
    if (this.ended) return [];
    this.events = [];
    step();
    return this.events;
  }

  private fail(message: string): void {
    this.ended = true;
    this.events.push({ type: "error", error: { kind: "upstream", status: 502, message } });
  }

  private read(data: string): void {
    const body = tryParseExactJson(data);
    if (isObject(body) && body["error"]) {
      this.ended = true;
      this.events.push({ type: "error", error: decodeInnerError(body) });
      return;
    }
    const result = responseSchema.safeParse(body, FIRST_ISSUE);
    if (result.success) this.take(result.data);
    else this.fail("The upstream sent an event that is not a completion.");
  }

  private take(wire: WireResponse): void {
    if (!this.started) {
      this.started = true;
      this.events.push({ type: "start", ...decodeIdentity(wire) });
    }
    for (const { index, text, finish_reason } of wire.choices ?? []) {
      const which = index ?? 0;
      if (!this.candidates.has(which)) this.open(which);
      if (text) this.events.push({ type: "text-delta", index: which, text });
      if (finish_reason) this.candidates.set(which, finish_reason);
    }
    const usage = decodeUsage(wire);
    if (usage !== undefined) this.events.push({ type: "usage", usage });
  }

  private open(candidate: number): void {
    this.candidates.set(candidate, undefined);
    const which = candidate > 0 ? { candidate } : {};
    this.events.push({ type: "part-start", index: candidate, ...which, part: { type: "text", text: "" } });
  }

  private finish(): void {
    if (this.candidates.size === 0) return void this.fail("The upstream's stream contains no response.");
    this.ended = true;
    for (const [candidate, reason] of this.candidates) {
      const which = candidate > 0 ? { candidate } : {};
      this.events.push({ type: "part-end", index: candidate });
      this.events.push({ type: "finish", ...which, finish: decodeFinish(reason ?? "stop") });
    }
    this.events.push({ type: "end" });
  }
}

/** Creates a decoder for one stream. */
export function createStreamDecoder(): StreamDecoder {
  return new CompletionsStreamDecoder();
}
