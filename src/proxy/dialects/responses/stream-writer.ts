import type { EncodeContext } from "../../exchange/codec.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import type { OpenPart } from "../../exchange/event.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation, Part, ReasoningPart, TextPart, TokenLogprob } from "../../exchange/parts.ts";
import {
  createCallSignaturePart,
  createTextSignaturePart,
  loseEarlierSignature,
} from "../../exchange/signature.ts";
import { createCallWriter, type PendingCall } from "./call-writer.ts";
import { encodeItem } from "./encode-response.ts";
import type { EventWriter } from "./event-writer.ts";
import { createMessageWriter, type MessageWriter } from "./message-writer.ts";
import { itemId, type OutputItem } from "./output-items.ts";
import { createReasoningWriter } from "./reasoning-writer.ts";
import type { MessageStatus } from "./response-object.ts";

/** Writes the events of one part. */
export interface PartWriter {
  delta(text: string, logprobs?: readonly TokenLogprob[]): void;
  signature?(signature: string): void;
  citation?(citation: Citation): void;
  end(part: Part | undefined): void;
}

export interface WriterDeps {
  readonly responseId: string;
  readonly context: EncodeContext;
  readonly events: EventWriter;
  readonly losses: LossList;
}

/** Collects finished items and assigns `output_index`. */
export interface OutputList {
  /** Opens the next item. Unless the item is a message, closes the open message to further parts. */
  open(kind: Parameters<typeof itemId>[0]): { readonly outputIndex: number; readonly id: string };
  finish(outputIndex: number, item: OutputItem): void;
}

/** Creates the writers of a response's parts. Several parts can be open at the same time. */
export class PartWriters implements OutputList {
  /** Whether the response contains a refusal. */
  refused = false;
  private readonly deps: WriterDeps;
  private readonly message: MessageWriter;
  private readonly finished = new Map<number, OutputItem>();
  private readonly pending: PendingCall[] = [];
  private nextIndex = 0;
  /**
   * The signature of the current message's last signed text. It is written as an item when another item starts or the
   * response ends.
   */
  private pendingSignature: string | undefined;

  constructor(deps: WriterDeps) {
    this.deps = deps;
    this.message = createMessageWriter(deps, this);
  }

  start(part: OpenPart): PartWriter {
    if (part.type !== "text" && part.type !== "refusal") this.flushSignature();
    switch (part.type) {
      case "refusal":
        this.refused = true;
        return this.message.start(part);
      case "text":
        return this.startText(part);
      case "reasoning":
        return createReasoningWriter(part, this.deps, this);
      case "tool-call":
        if (part.signature !== undefined) this.writeSignature(createCallSignaturePart(part.signature));
        return createCallWriter(part, this.deps, this, this.pending);
    }
  }

  whole(part: Part): void {
    switch (part.type) {
      case "text": {
        const writer = this.start(part);
        writer.delta(part.text, part.logprobs);
        for (const citation of part.citations ?? []) writer.citation?.(citation);
        writer.end(part);
        break;
      }
      case "refusal":
      case "reasoning":
      case "tool-call": {
        const writer = this.start(part);
        writer.delta(part.type === "tool-call" ? part.arguments : part.text);
        writer.end(part);
        break;
      }
      default:
        this.item(part);
    }
  }

  /**
   * Ends the open items; an open message gets `status`. Returns an error if the arguments of a call are not valid JSON,
   * unless the response was cut off (`cut`).
   */
  settle(cut: boolean, status: MessageStatus): ExchangeError | undefined {
    this.flushSignature();
    this.message.close(status);
    for (const call of this.pending) call.settle();
    const [broken] = this.pending;
    return cut || broken === undefined ? undefined : brokenCall(broken.name);
  }

  /** Returns the finished items in order. */
  output(): readonly OutputItem[] {
    return [...this.finished].sort(([left], [right]) => left - right).map(([, item]) => item);
  }

  open(kind: Parameters<typeof itemId>[0]): { readonly outputIndex: number; readonly id: string } {
    if (kind !== "msg") this.message.close();
    const outputIndex = this.nextIndex++;
    return { outputIndex, id: itemId(kind, this.deps.responseId, outputIndex) };
  }

  finish(outputIndex: number, item: OutputItem): void {
    this.finished.set(outputIndex, item);
  }

  private item(part: Part): void {
    const { responseId, context, events, losses } = this.deps;
    this.flushSignature();
    const item = encodeItem(part, responseId, this.nextIndex, context, losses);
    if (item === undefined) return;
    const { outputIndex } = this.open("msg");
    this.message.close();
    events.write("response.output_item.added", { output_index: outputIndex, item: toStartedItem(item) });
    events.write("response.output_item.done", { output_index: outputIndex, item });
    this.finish(outputIndex, item);
  }

  /** Writes Google's signature of a call or a text as a reasoning item, before the call or after the text. */
  private writeSignature(thought: ReasoningPart): void {
    createReasoningWriter(thought, this.deps, this).end(undefined);
  }

  private flushSignature(): void {
    if (this.pendingSignature !== undefined)
      this.writeSignature(createTextSignaturePart(this.pendingSignature));
    this.pendingSignature = undefined;
  }

  private startText(part: TextPart): PartWriter {
    const writer = this.message.start(part);
    let signature = part.signature ?? "";
    return {
      delta: (text, logprobs) => writer.delta(text, logprobs),
      citation: (citation) => writer.citation?.(citation),
      signature: (delta) => {
        signature += delta;
      },
      end: (whole) => {
        writer.end(whole);
        if (signature === "") return;
        if (this.pendingSignature !== undefined) loseEarlierSignature(this.deps.losses);
        this.pendingSignature = signature;
      },
    };
  }
}

/** Returns the item for the event `response.output_item.added`: in progress and without results. */
function toStartedItem(item: OutputItem): OutputItem {
  const { result, output, results, outputs, ...rest } = item;
  return { ...rest, ...("status" in item ? { status: "in_progress" } : {}) };
}

function brokenCall(name: string): ExchangeError {
  return {
    kind: "upstream",
    status: 502,
    message: `The model called ${name} with arguments that are not JSON.`,
  };
}
