import type { EncodeContext } from "../../exchange/codec.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import type { OpenPart } from "../../exchange/event.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation, Part, ReasoningPart, TextPart, TokenLogprob } from "../../exchange/parts.ts";
import { thoughtOfCall, thoughtOfText } from "../../exchange/signature.ts";
import { createCallWriter, type PendingCall } from "./call-writer.ts";
import { encodeItem } from "./encode-response.ts";
import type { EventWriter } from "./event-writer.ts";
import { createMessageWriter } from "./message-writer.ts";
import { itemId, type OutputItem } from "./output-items.ts";
import { createReasoningWriter } from "./reasoning-writer.ts";

/** Writes the events of one part as it comes in. */
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

/** Where finished items go, and the next `output_index` comes from. */
export interface OutputList {
  /** Opens the next item. A message that is still open takes no more parts from then on. */
  open(kind: Parameters<typeof itemId>[0]): { readonly outputIndex: number; readonly id: string };
  finish(outputIndex: number, item: OutputItem): void;
}

export interface PartWriters {
  start(part: OpenPart): PartWriter;
  whole(part: Part): void;
  /** Closes what is open. Gives the fault of a call whose arguments are no JSON, unless the answer was `cut` off. */
  settle(cut: boolean): ExchangeError | undefined;
  /** The finished items, in order. */
  output(): readonly OutputItem[];
  /** Whether a refusal was told. */
  refused(): boolean;
}

/** The writers of one response's parts; several may be open at once. */
export function createPartWriters(deps: WriterDeps): PartWriters {
  const finished = new Map<number, OutputItem>();
  const pending: PendingCall[] = [];
  let nextIndex = 0;
  let refused = false;
  const list: OutputList = {
    open(kind) {
      if (kind !== "msg") message.seal();
      const outputIndex = nextIndex++;
      return { outputIndex, id: itemId(kind, deps.responseId, outputIndex) };
    },
    finish: (outputIndex, item) => void finished.set(outputIndex, item),
  };
  const message = createMessageWriter(deps, list);

  const start = (part: OpenPart): PartWriter => {
    if (part.type === "refusal") refused = true;
    if (part.type === "refusal") return message.start(part);
    if (part.type === "text") return startText(part);
    if (part.type === "reasoning") return createReasoningWriter(part, deps, list);
    if (part.signature !== undefined) tellSignature(thoughtOfCall(part.signature));
    return createCallWriter(part, deps, list, pending);
  };
  /** Generative-language signs calls and texts; here a signature is an item of its own, before the call or behind the text. */
  const tellSignature = (thought: ReasoningPart) => {
    createReasoningWriter(thought, deps, list).end(undefined);
  };
  const startText = (part: TextPart): PartWriter => {
    const writer = message.start(part);
    let signature = part.signature ?? "";
    return {
      delta: (text, logprobs) => writer.delta(text, logprobs),
      citation: (citation) => writer.citation?.(citation),
      signature: (told) => {
        signature += told;
      },
      end(whole) {
        writer.end(whole);
        if (signature !== "") tellSignature(thoughtOfText(signature));
      },
    };
  };
  return {
    start,
    whole(part) {
      if (
        part.type === "text" ||
        part.type === "refusal" ||
        part.type === "reasoning" ||
        part.type === "tool-call"
      ) {
        const writer = start(part);
        if (part.type === "text") writer.delta(part.text, part.logprobs);
        else writer.delta(part.type === "tool-call" ? part.arguments : part.text);
        if (part.type === "text") for (const citation of part.citations ?? []) writer.citation?.(citation);
        writer.end(part);
        return;
      }
      const item = encodeItem(part, deps.responseId, nextIndex, deps.context, deps.losses);
      if (item === undefined) return;
      const { outputIndex } = list.open("msg");
      message.seal();
      deps.events.write("response.output_item.added", { output_index: outputIndex, item: begun(item) });
      deps.events.write("response.output_item.done", { output_index: outputIndex, item });
      finished.set(outputIndex, item);
    },
    settle(cut) {
      message.seal();
      for (const call of pending) call.settle();
      const broken = pending.find((call) => !cut && call.broken);
      return broken === undefined ? undefined : brokenCall(broken.name);
    },
    output: () => [...finished].sort(([left], [right]) => left - right).map(([, item]) => item),
    refused: () => refused,
  };
}

/** An item at its beginning: without what it will have come to. */
function begun(item: OutputItem): OutputItem {
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
