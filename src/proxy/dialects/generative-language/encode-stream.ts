import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { ExchangeEvent, OpenPartEvent } from "../../exchange/event.ts";
import { stringifyJson } from "../../exchange/json.ts";
import { createLossList, type Loss } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Finish, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { encodeGrounding, encodeResponsePart } from "./encode-response.ts";
import { encodeFinish } from "./finish.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { createErrorObject } from "./profile.ts";
import { createFraming, createPartWriter } from "./stream-writer.ts";
import { encodeUsage } from "./usage.ts";

/**
 * Encodes a stream of `GenerateContentResponse` chunks, as events or as one JSON array. Writes a tool call at its end,
 * because clients do not read partial calls. Finish reasons, citations and usage are in the last chunk.
 */
class GenerativeStreamEncoder implements StreamEncoder {
  private readonly list = createLossList();
  private readonly frame;
  private readonly open = new Map<number, ReturnType<typeof createPartWriter>>();
  private readonly candidates = new Map<number, number>();
  private readonly endings: { readonly candidate: number; readonly finish: Finish }[] = [];
  /** Parts of type text that have citations, by candidate. */
  private readonly cited = new Map<number, Part[]>();
  /** Members at the end of a chunk, as JSON text without braces. */
  private identity: string;
  private usage: Usage | undefined;
  private ended = false;

  constructor(private readonly context: EncodeContext) {
    this.frame = createFraming(context.array === true);
    this.identity = this.identify(context.fallbackId, context.model);
  }

  get losses(): readonly Loss[] {
    return this.list.losses;
  }

  push(event: ExchangeEvent): string {
    return this.ended ? "" : this.write(event);
  }

  private write(event: ExchangeEvent): string {
    switch (event.type) {
      case "start":
        this.identity = this.identify(event.id ?? this.context.fallbackId, event.model ?? this.context.model);
        this.usage = mergeUsage(this.usage, event.usage);
        return "";
      case "usage":
        this.usage = mergeUsage(this.usage, event.usage);
        return "";
      case "part-start":
        this.open.set(event.index, createPartWriter(event.part, this.list));
        this.candidates.set(event.index, event.candidate ?? 0);
        return "";
      case "part-whole":
        return this.whole(event.candidate ?? 0, event.part);
      case "finish":
        this.endings.push({ candidate: event.candidate ?? 0, finish: event.finish });
        return "";
      case "end":
        this.usage = mergeUsage(this.usage, event.usage);
        this.ended = true;
        return this.finish();
      case "error":
        this.ended = true;
        return this.frame.last(stringifyJson({ error: createErrorObject(event.error) }));
      case "ping":
        return this.frame.ping;
      default:
        return this.encodePart(event);
    }
  }

  private encodePart(event: OpenPartEvent): string {
    const writer = this.open.get(event.index);
    if (writer === undefined) return "";
    const candidate = this.candidates.get(event.index) ?? 0;
    const parts = writer.write(event).map(stringifyJson);
    const logprobs = event.type === "text-delta" ? event.logprobs : undefined;
    if (event.type === "part-end") {
      this.open.delete(event.index);
      this.cite(candidate, writer.getCited());
    }
    return this.chunk(
      candidate,
      parts,
      logprobs === undefined ? "" : stringifyMembers(encodeLogprobs(logprobs)),
    );
  }

  private whole(candidate: number, part: Part): string {
    this.cite(candidate, part);
    const more = part.type === "text" ? stringifyMembers(encodeLogprobs(part.logprobs ?? [])) : "";
    return this.chunk(candidate, encodeResponsePart(part, this.list).map(stringifyJson), more);
  }

  private cite(candidate: number, part: Part | undefined): void {
    if (part?.type !== "text" || part.citations === undefined) return;
    const before = this.cited.get(candidate);
    if (before === undefined) this.cited.set(candidate, [part]);
    else before.push(part);
  }

  private identify(responseId: string, modelVersion: string): string {
    return stringifyMembers({ modelVersion, responseId });
  }

  /** Returns a chunk; empty if it has no parts. `parts` and `more`, further members of the candidate, are JSON text. */
  private chunk(candidate: number, parts: readonly string[], more: string): string {
    if (parts.length === 0) return "";
    const content = `"content":{"parts":[${parts.join(",")}],"role":"model"}`;
    const rest = more === "" ? "" : `,${more}`;
    return this.frame.chunk(`{"candidates":[{${content}${rest},"index":${candidate}}],${this.identity}}`);
  }

  private finish(): string {
    // The vendor's last chunk has an empty text too: its SDKs drop a turn from the history if a chunk has no part.
    const candidates = this.endings.map(({ candidate, finish }) => ({
      content: { parts: [{ text: "" }], role: "model" },
      finishReason: encodeFinish(finish),
      finishMessage: finish.message,
      ...encodeGrounding(
        (this.cited.get(candidate) ?? []).map((part, partIndex) => ({ part, partIndex })),
        this.list,
      ),
      index: candidate,
    }));
    const members = stringifyMembers({ candidates, usageMetadata: encodeUsage(this.usage) });
    return this.frame.last(`{${members},${this.identity}}`);
  }
}

/** Creates an encoder for one stream. */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  return new GenerativeStreamEncoder(context);
}

/** Returns the members of an object as JSON text without braces. */
function stringifyMembers(members: Readonly<Record<string, unknown>>): string {
  return stringifyJson(members).slice(1, -1);
}
