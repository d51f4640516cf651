import { randomUUID } from "node:crypto";
import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import type { Delta, ExchangeEvent } from "../../exchange/event.ts";
import { parseJson } from "../../exchange/json.ts";
import type { Candidate, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { blockedCandidate, parseResponse } from "./decode-response.ts";
import { decodeInnerError } from "./errors.ts";
import type { WireResponse } from "./schema.ts";
import { CandidateReader, type CandidateStream } from "./stream-reader.ts";
import { decodeUsage } from "./usage.ts";

/**
 * Decodes a stream of `GenerateContentResponse` chunks. Finish events are emitted at the end of the stream, because
 * the vendor sends no end marker and chunks with usage may follow the finish reason.
 */
class GenerativeStreamDecoder implements StreamDecoder, CandidateStream {
  /** The id of the response, from which the ids of calls without an id are derived. */
  responseId: string = randomUUID();
  /** Readers by the index of their candidate. */
  private readonly readers = new Map<number, CandidateReader>();
  private events: ExchangeEvent[] = [];
  private parts = 0;
  /** The latest value of each count, because the counts of a chunk include those of earlier chunks. */
  private usage: Usage | undefined;
  private blocked: Candidate | undefined;
  private started = false;
  private ended = false;

  push(event: WireEvent): readonly ExchangeEvent[] {
    if (event.data === "" || event.data === "[DONE]") return [];
    return this.drain(() => this.read(parseResponse(parse(event))));
  }

  end(): readonly ExchangeEvent[] {
    return this.drain(() => this.finish());
  }

  note(delta: Delta): void {
    for (const reader of this.readers.values()) reader.note(delta);
  }

  nextIndex(): number {
    return this.parts++;
  }

  emit(event: ExchangeEvent): void {
    this.events.push(event);
  }

  private drain(step: () => void): readonly ExchangeEvent[] {
    if (this.ended) return [];
    this.events = [];
    try {
      step();
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      this.ended = true;
      return [{ type: "error", error: error.error }];
    }
    return this.events;
  }

  private read(wire: WireResponse): void {
    if (wire.error !== undefined) throw new DialectError(decodeInnerError(wire));
    const usage = decodeUsage(wire.usageMetadata);
    this.usage = mergeUsage(this.usage, usage);
    this.blocked ??= blockedCandidate(wire);
    this.responseId = wire.responseId ?? this.responseId;
    if (!this.started) {
      this.started = true;
      this.emit({
        type: "start",
        ...withoutNullish({ id: wire.responseId, model: wire.modelVersion, usage }),
      });
    }
    for (const [position, candidate] of (wire.candidates ?? []).entries()) {
      this.readerAt(candidate.index ?? position).read(candidate);
    }
  }

  private readerAt(index: number): CandidateReader {
    const known = this.readers.get(index);
    if (known !== undefined) return known;
    const reader = new CandidateReader(index, this);
    this.readers.set(index, reader);
    return reader;
  }

  private finish(): void {
    // The parts of all candidates end before the first finish event.
    const finishes = [...this.readers.values()].map((reader) => {
      const finish = reader.finish();
      if (finish === undefined) throw unfinished();
      return finish;
    });
    if (finishes.length === 0) {
      if (this.blocked === undefined) throw unfinished();
      finishes.push({ type: "finish", finish: this.blocked.finish });
    }
    this.ended = true;
    this.events.push(...finishes);
    this.emit({ type: "end", ...withoutNullish({ usage: this.usage }) });
  }
}

/** Creates a decoder for one stream. */
export function createStreamDecoder(): StreamDecoder {
  return new GenerativeStreamDecoder();
}

function parse(event: WireEvent): unknown {
  try {
    return parseJson(event.data);
  } catch {
    throw invalidResponse("The upstream sent an event that is not JSON.", event.data.slice(0, 200));
  }
}

function unfinished(): DialectError {
  return invalidResponse("The upstream's stream ended before the response was complete.");
}
