import type { OpenPart, OpenPartEvent } from "../../exchange/event.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation, Part } from "../../exchange/parts.ts";
import { encodeText, encodeThought, type WireObject } from "./encode-parts.ts";
import { encodeResponsePart } from "./encode-response.ts";

/** What each event of an open part adds to the answer, as parts of the wire. */
export interface PartWriter {
  write(event: OpenPartEvent): readonly WireObject[];
  /** The part as it has become, for its citations. */
  getCited(): Part | undefined;
}

/** Texts and thoughts are told as they come, calls at their end: clients read no half ones. */
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
    // The signature of a text comes with its last piece.
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

/** How the chunks of a stream are put one after the other; `json` is a chunk as JSON text. */
export interface Framing {
  chunk(json: string): string;
  /** The chunk after which nothing follows. */
  last(json: string): string;
  /** Text that keeps a quiet stream open; empty where clients take none. */
  readonly ping: string;
}

/**
 * Returns the framing of one stream. Events end in CRLF as the vendor's do; an array is opened by its first member and
 * closed by its last.
 *
 * Events have no keep-alive. Google's servers send none, and Google's SDKs for Python and Go and LangChain fail on a
 * comment or an empty line; an event without content makes the chats of its SDKs drop the turn from their history.
 */
export function createFraming(array: boolean): Framing {
  if (!array) {
    const chunk = (json: string) => `data: ${json}\r\n\r\n`;
    return { chunk, last: chunk, ping: "" };
  }
  let isFirst = true;
  const chunk = (json: string) => {
    const before = isFirst ? "[" : ",\r\n";
    isFirst = false;
    return `${before}${json}`;
  };
  // White space may stand anywhere between the members.
  return { chunk, last: (json) => `${chunk(json)}]`, ping: "\n" };
}
