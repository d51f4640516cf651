import { serializeLine } from "../../../sse/serialize.ts";
import type { OpenPart, OpenPartEvent } from "../../exchange/event.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation, Part } from "../../exchange/parts.ts";
import { encodeText, encodeThought, type WireObject } from "./encode-parts.ts";
import { encodeResponsePart } from "./encode-response.ts";

/** Converts each event of an open part to parts of the wire format. */
export interface PartWriter {
  write(event: OpenPartEvent): readonly WireObject[];
  /** Returns the part with its text and citations; undefined if it has no citations. */
  getCited(): Part | undefined;
}

/**
 * Creates the writer of a part. The writer returns text and reasoning as they arrive, and a tool call at its end,
 * because clients do not read partial calls.
 */
export function createPartWriter(part: OpenPart, losses: LossList): PartWriter {
  if (part.type === "tool-call") return new CallWriter(part, losses);
  return part.type === "reasoning" ? new ThoughtWriter(part) : new TextWriter();
}

class TextWriter implements PartWriter {
  private text = "";
  private readonly citations: Citation[] = [];

  write(event: OpenPartEvent): readonly WireObject[] {
    if (event.type === "text-delta") {
      this.text += event.text;
      return event.text === "" ? [] : [{ text: event.text }];
    }
    if (event.type === "citation") this.citations.push(event.citation);
    // The vendor sends the signature of a text after it, with an empty text.
    return event.type === "signature-delta" ? [encodeText({ text: "", signature: event.signature })] : [];
  }

  getCited(): Part | undefined {
    const { text, citations } = this;
    return citations.length === 0 ? undefined : { type: "text", text, citations };
  }
}

class ThoughtWriter implements PartWriter {
  private signature: string;

  constructor(private readonly part: Extract<OpenPart, { type: "reasoning" }>) {
    this.signature = part.signature ?? "";
  }

  write(event: OpenPartEvent): readonly WireObject[] {
    if (event.type === "text-delta") return event.text === "" ? [] : [{ text: event.text, thought: true }];
    if (event.type === "signature-delta") this.signature += event.signature;
    if (event.type !== "part-end" || this.signature === "") return [];
    return [encodeThought({ ...this.part, text: "", signature: this.signature })];
  }

  getCited(): undefined {}
}

class CallWriter implements PartWriter {
  private written = "";
  private signature: string;

  constructor(
    private readonly part: Extract<OpenPart, { type: "tool-call" }>,
    private readonly losses: LossList,
  ) {
    this.signature = part.signature ?? "";
  }

  write(event: OpenPartEvent): readonly WireObject[] {
    if (event.type === "arguments-delta") this.written += event.text;
    if (event.type === "signature-delta") this.signature += event.signature;
    if (event.type !== "part-end") return [];
    const signature = this.signature === "" ? {} : { signature: this.signature };
    return encodeResponsePart({ ...this.part, arguments: this.written, ...signature }, this.losses);
  }

  getCited(): undefined {}
}

/** Frames the chunks of a stream; `json` is a chunk as JSON text. */
export interface Framing {
  chunk(json: string): string;
  /** Returns the last chunk of the stream. */
  last(json: string): string;
  /** Text that keeps an idle stream open; empty if clients accept none. */
  readonly ping: string;
}

/**
 * Creates the framing of one stream: events that end in CRLF, like the vendor's, or one JSON array. A stream of events
 * has no keep-alive: Google's SDKs for Python and Go, and LangChain, fail on a comment or an empty line, and the chats
 * of Google's SDKs drop a turn from their history after an event without content.
 */
export function createFraming(array: boolean): Framing {
  if (!array) {
    const chunk = (json: string) => serializeLine(json, undefined, "\r\n");
    return { chunk, last: chunk, ping: "" };
  }
  let isFirst = true;
  const chunk = (json: string) => {
    const before = isFirst ? "[" : ",\r\n";
    isFirst = false;
    return `${before}${json}`;
  };
  // JSON allows whitespace between the elements of an array.
  return { chunk, last: (json) => `${chunk(json)}]`, ping: "\n" };
}
