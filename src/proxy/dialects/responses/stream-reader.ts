import type { Delta, ExchangeEvent, OpenPart } from "../../exchange/event.ts";
import type { Citation, Part, TokenLogprob } from "../../exchange/parts.ts";
import { qualifiedName } from "./namespaces.ts";

/** The receiver of the events of a stream's items. */
export interface ItemStream {
  nextIndex(): number;
  emit(event: ExchangeEvent): void;
}

interface OpenSlot {
  readonly index: number;
  readonly part: OpenPart;
  sent: string;
  citations: number;
}

const separator = "\n\n";

/**
 * Decodes the events of one output item. A text or reasoning part starts with its first content, so that empty parts
 * are not started; a tool call starts at once. Parts end with the item. Content that no delta contained is emitted when
 * the complete content arrives.
 */
export class ItemReader {
  /** The open parts by content index. Reasoning and a tool call are the only part of their item and have index 0. */
  private readonly slots = new Map<number, OpenSlot>();
  private thoughtIndex: number | undefined;
  private ended = false;

  constructor(private readonly stream: ItemStream) {}

  added(item: Readonly<Record<string, unknown>>): void {
    const call = decodeToolCallStart(item);
    if (call === undefined || this.ended) return;
    this.open(0, call);
    this.append(0, call, initialInput(item));
  }

  /** Records a delta that was copied to the client without being decoded; see `StreamDecoder.note`. */
  note({ index, text }: Delta): void {
    for (const slot of this.slots.values()) if (slot.index === index) slot.sent += text;
  }

  text(at: number, kind: "text" | "refusal", delta: string, logprobs?: readonly TokenLogprob[]): void {
    this.append(at, kind === "text" ? emptyText : emptyRefusal, delta, logprobs);
  }

  textDone(at: number, kind: "text" | "refusal", text: string): void {
    const part = kind === "text" ? emptyText : emptyRefusal;
    const isSent = () =>
      [...this.slots.values()].some(({ part: { type }, sent }) => type === kind && sent === text);
    if (this.slots.has(at) || !isSent()) this.appendRest(at, part, text);
  }

  thought(partIndex: number, delta: string, summary: boolean): void {
    if (delta === "") return;
    const part = thoughtPart(summary);
    const isNext = this.thoughtIndex !== undefined && partIndex > this.thoughtIndex;
    this.thoughtIndex = partIndex;
    if (isNext) this.append(0, part, separator);
    this.append(0, part, delta);
  }

  citation(at: number, citation: Citation): void {
    if (this.ended) return;
    const slot = this.open(at, emptyText);
    slot.citations += 1;
    this.stream.emit({ type: "citation", index: slot.index, citation });
  }

  input(delta: string): void {
    const slot = this.callSlot();
    if (slot !== undefined) this.append(0, slot.part, delta);
  }

  inputDone(text: string): void {
    const slot = this.callSlot();
    if (slot !== undefined) this.appendRest(0, slot.part, text);
  }

  /** Ends the item. `parts` are the parts of the complete item with their content indexes. */
  done(parts: readonly (readonly [contentIndex: number, part: Part])[]): void {
    if (this.ended) return;
    for (const [contentIndex, part] of parts) this.endPart(this.findSlot(contentIndex, part), part);
    this.close();
  }

  /**
   * Returns the key of the slot for a part of the complete item. Parts are matched by their text, because vLLM counts
   * reasoning as content in the stream but not in the complete item, so the content indexes differ.
   */
  private findSlot(contentIndex: number, part: Part): number {
    if (!("text" in part)) return contentIndex;
    const own = this.slots.get(contentIndex);
    if (own?.part.type === part.type && own.sent === part.text) return contentIndex;
    const alike = [...this.slots].filter(([, slot]) => slot.part.type === part.type);
    const sent =
      alike.find(([, slot]) => slot.sent === part.text) ??
      alike.find(([key, slot]) => key === contentIndex && part.text.startsWith(slot.sent)) ??
      alike.find(([, slot]) => part.text.startsWith(slot.sent));
    if (sent !== undefined) return sent[0];
    return this.slots.has(contentIndex) ? -1 - contentIndex : contentIndex;
  }

  /** Ends the item and its open parts. */
  close(): void {
    this.ended = true;
    for (const { index } of this.slots.values()) this.stream.emit({ type: "part-end", index });
    this.slots.clear();
  }

  private open(key: number, part: OpenPart): OpenSlot {
    const known = this.slots.get(key);
    if (known !== undefined) return known;
    const slot: OpenSlot = { index: this.stream.nextIndex(), part, sent: "", citations: 0 };
    this.slots.set(key, slot);
    this.stream.emit({ type: "part-start", index: slot.index, part });
    return slot;
  }

  private append(key: number, part: OpenPart, text: string, logprobs?: readonly TokenLogprob[]): void {
    if (text === "" || this.ended) return;
    const slot = this.open(key, part);
    slot.sent += text;
    const { index } = slot;
    if (part.type === "tool-call") this.stream.emit({ type: "arguments-delta", index, text });
    else if (logprobs === undefined) this.stream.emit({ type: "text-delta", index, text });
    else this.stream.emit({ type: "text-delta", index, text, logprobs });
  }

  /** Emits the rest of a complete text that no delta contained. Ignores a text that does not continue the deltas. */
  private appendRest(key: number, part: OpenPart, whole: string): void {
    const sent = this.slots.get(key)?.sent ?? "";
    if (whole.startsWith(sent)) this.append(key, part, whole.slice(sent.length));
  }

  private callSlot(): OpenSlot | undefined {
    return [...this.slots.values()].find((slot) => slot.part.type === "tool-call");
  }

  private endPart(key: number, part: Part) {
    if (!isOpenable(part)) return this.emitWhole(part);
    const whole = part.type === "tool-call" ? part.arguments : part.text;
    if (!this.slots.has(key) && whole === "" && part.type !== "tool-call") {
      if (part.type === "reasoning") this.emitWhole(part);
      return;
    }
    const slot = this.open(key, toEmptyPart(part));
    this.appendRest(key, slot.part, whole);
    this.slots.delete(key);
    this.emitAddenda(part, slot);
    this.stream.emit({ type: "part-end", index: slot.index, part });
  }

  private emitWhole(part: Part): void {
    this.stream.emit({ type: "part-whole", index: this.stream.nextIndex(), part });
  }

  /** Emits the citations and the signature that only the complete item contains. */
  private emitAddenda(part: OpenPart, { index, citations }: OpenSlot): void {
    if (part.type === "text") {
      for (const citation of (part.citations ?? []).slice(citations)) {
        this.stream.emit({ type: "citation", index, citation });
      }
    }
    if (part.type === "reasoning" && part.signature !== undefined) {
      this.stream.emit({ type: "signature-delta", index, signature: part.signature });
    }
  }
}

const emptyText: OpenPart = { type: "text", text: "" };
const emptyRefusal: OpenPart = { type: "refusal", text: "" };

function isOpenable(part: Part): part is OpenPart {
  return ["text", "refusal", "reasoning", "tool-call"].includes(part.type);
}

function toEmptyPart(part: OpenPart): OpenPart {
  if (part.type === "tool-call") return { ...part, arguments: "" };
  if (part.type === "reasoning") return thoughtPart(part.summary === true);
  return { type: part.type, text: "" };
}

function thoughtPart(summary: boolean): OpenPart {
  return { type: "reasoning", text: "", vendor: "responses", ...(summary ? { summary: true } : {}) };
}

function initialInput(item: Readonly<Record<string, unknown>>): string {
  const input = item["arguments"] ?? item["input"];
  return typeof input === "string" ? input : "";
}

/** Converts the start of a tool call; returns undefined for any other item. */
function decodeToolCallStart(item: Readonly<Record<string, unknown>>): OpenPart | undefined {
  const { type, call_id: id, name } = item;
  const custom = type === "custom_tool_call";
  if ((type !== "function_call" && !custom) || typeof id !== "string" || typeof name !== "string")
    return undefined;
  const space = typeof item["namespace"] === "string" ? item["namespace"] : undefined;
  return {
    type: "tool-call",
    id,
    name: qualifiedName(space, name),
    arguments: "",
    ...(custom ? { custom: true } : {}),
  };
}
