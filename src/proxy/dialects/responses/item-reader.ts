import type { ExchangeEvent, OpenPart } from "../../exchange/event.ts";
import type { Citation, Part } from "../../exchange/parts.ts";
import { qualifiedName } from "./namespaces.ts";

/**
 * One output item as its events come in. Parts are opened when the first of their content arrives, so that an empty
 * one is never shown, and closed by the item's end; whatever an end says that no delta did is told then.
 */
export interface ItemReader {
  added(item: Readonly<Record<string, unknown>>): ExchangeEvent[];
  text(kind: "text" | "refusal", contentIndex: number, delta: string): ExchangeEvent[];
  textDone(kind: "text" | "refusal", contentIndex: number, text: string): ExchangeEvent[];
  thought(partIndex: number, delta: string, summary: boolean): ExchangeEvent[];
  citation(contentIndex: number, citation: Citation): ExchangeEvent[];
  input(delta: string): ExchangeEvent[];
  inputDone(text: string): ExchangeEvent[];
  /** The item's end, with its parts as the item itself says them. */
  done(parts: readonly Part[]): ExchangeEvent[];
  /** The stream's end, for items that never had one. */
  close(): ExchangeEvent[];
}

interface OpenSlot {
  readonly index: number;
  readonly part: OpenPart;
  told: string;
  citations: number;
}

const separator = "\n\n";

export function createItemReader(nextIndex: () => number): ItemReader {
  const slots = new Map<number, OpenSlot>();
  let thoughtIndex: number | undefined;
  let ended = false;

  const open = (key: number, part: OpenPart): { slot: OpenSlot; events: ExchangeEvent[] } => {
    const known = slots.get(key);
    if (known !== undefined) return { slot: known, events: [] };
    const slot: OpenSlot = { index: nextIndex(), part, told: "", citations: 0 };
    slots.set(key, slot);
    return { slot, events: [{ type: "part-start", index: slot.index, part }] };
  };
  const say = (key: number, part: OpenPart, text: string): ExchangeEvent[] => {
    if (text === "" || ended) return [];
    const { slot, events } = open(key, part);
    slot.told += text;
    const type = part.type === "tool-call" ? "arguments-delta" : "text-delta";
    return [...events, { type, index: slot.index, text }];
  };
  /** What a `.done` holds beyond what was told. */
  const rest = (key: number, part: OpenPart, whole: string): ExchangeEvent[] => {
    const told = slots.get(key)?.told ?? "";
    return whole.startsWith(told) ? say(key, part, whole.slice(told.length)) : [];
  };
  const callSlot = () => [...slots.values()].find((slot) => slot.part.type === "tool-call");

  return {
    added(item) {
      const call = callOf(item);
      if (call === undefined || ended) return [];
      const { events } = open(0, call);
      return [...events, ...say(0, call, initialInput(item))];
    },
    text: (kind, at, delta) => say(at, { type: kind, text: "" }, delta),
    textDone: (kind, at, text) => rest(at, { type: kind, text: "" }, text),
    thought(partIndex, delta, summary) {
      if (delta === "") return [];
      const part = thoughtPart(summary);
      const isNext = thoughtIndex !== undefined && partIndex > thoughtIndex;
      thoughtIndex = partIndex;
      return [...(isNext ? say(0, part, separator) : []), ...say(0, part, delta)];
    },
    citation(at, citation) {
      if (ended) return [];
      const { slot, events } = open(at, { type: "text", text: "" });
      slot.citations += 1;
      return [...events, { type: "citation", index: slot.index, citation }];
    },
    input(delta) {
      const slot = callSlot();
      return slot === undefined ? [] : say(0, slot.part, delta);
    },
    inputDone(text) {
      const slot = callSlot();
      return slot === undefined ? [] : rest(0, slot.part, text);
    },
    done(parts) {
      if (ended) return [];
      const events = parts.flatMap((part, key) => endPart(part, key));
      ended = true;
      return [...events, ...closeAll()];
    },
    close() {
      if (ended) return [];
      ended = true;
      return closeAll();
    },
  };

  function closeAll(): ExchangeEvent[] {
    const events = [...slots.values()].map(
      (slot): ExchangeEvent => ({ type: "part-end", index: slot.index }),
    );
    slots.clear();
    return events;
  }

  function endPart(part: Part, key: number): ExchangeEvent[] {
    if (!isOpenable(part)) return [{ type: "part-whole", index: nextIndex(), part }];
    const whole = part.type === "tool-call" ? part.arguments : part.text;
    if (!slots.has(key) && whole === "" && part.type !== "tool-call") {
      return part.type === "reasoning" ? [{ type: "part-whole", index: nextIndex(), part }] : [];
    }
    const empty = emptied(part);
    const events = [...(slots.has(key) ? [] : open(key, empty).events), ...rest(key, empty, whole)];
    const slot = slots.get(key);
    if (slot === undefined) return events;
    slots.delete(key);
    if (part.type === "text") {
      for (const citation of (part.citations ?? []).slice(slot.citations)) {
        events.push({ type: "citation", index: slot.index, citation });
      }
    }
    if (part.type === "reasoning" && part.signature !== undefined) {
      events.push({ type: "signature-delta", index: slot.index, signature: part.signature });
    }
    return [...events, { type: "part-end", index: slot.index, part }];
  }
}

function isOpenable(part: Part): part is OpenPart {
  return ["text", "refusal", "reasoning", "tool-call"].includes(part.type);
}

/** The part as it opens: everything but its content. */
function emptied(part: OpenPart): OpenPart {
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

/** A call that begins; undefined for items of every other kind. */
function callOf(item: Readonly<Record<string, unknown>>): OpenPart | undefined {
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
