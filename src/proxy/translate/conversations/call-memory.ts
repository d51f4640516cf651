import { getProfile } from "../../dialects/index.ts";
import { getPhase } from "../../dialects/responses/phase.ts";
import type { Dialect, Part, ReasoningPart, TextPart, UpstreamDialect } from "../../exchange/parts.ts";
import type { ExchangeRequest, Turn } from "../../exchange/request.ts";
import { toCallId, unwrapCallId } from "../../exchange/tool-call-id.ts";
import { type ConversationStore, createBoundedStore } from "./conversation-store.ts";

/**
 * Stores what clients leave out when they send a tool call back: signed thinking, signatures of calls and texts
 * (chat-completions), and the phase of texts (all dialects except responses). The key is the id of the first tool call
 * of a response, because clients send the id back.
 */
export interface CallMemory {
  /** Returns whether clients of a dialect leave out something that upstreams of another dialect may need. */
  isNeeded(client: Dialect, upstream: UpstreamDialect): boolean;
  /** Stores the parts of a response that clients of the dialect discard, by the response's first tool call. */
  remember(client: Dialect, parts: readonly Part[]): Promise<void>;
  /** Returns the request with the data that its tool calls need at an upstream of the dialect. */
  restore(request: ExchangeRequest, client: Dialect, upstream: UpstreamDialect): Promise<ExchangeRequest>;
}

/** The stored parts of a call; empty if nothing is stored. */
type Remembered = readonly Part[];

const BOUNDS = { entries: 20_000, characters: 32 * 1024 * 1024 };
/** Approximate length in characters of an entry without its parts, and of each part other than reasoning. */
const ENTRY_SIZE = 128;

/** Creates a cache of stored parts in this process. All owners share the cache. */
export function createCallCache() {
  return createBoundedStore<Remembered>(BOUNDS);
}

/**
 * Creates the memory of one owner. `store` makes the parts available to other processes. `cache` retains the parts in
 * this process, and records the calls for which nothing is stored.
 */
export function createCallMemory(
  store: ConversationStore,
  cache: ReturnType<typeof createCallCache>,
  owner: string,
): CallMemory {
  const keyOf = (id: string) => `call:${unwrapCallId(id)}`;
  const load = async (id: string): Promise<Remembered> => {
    const known = cache.load(`${owner}/${keyOf(id)}`);
    if (known !== undefined) return known;
    let isKnown = true;
    const conversation = await store.load(keyOf(id), () => {
      isKnown = false;
    });
    const found = conversation?.turns[0]?.parts ?? [];
    // If the store could not be read, an empty result is not cached, so that a later call reads the store again.
    if (found.length > 0 || isKnown) cache.save(`${owner}/${keyOf(id)}`, found, sizeOf(found));
    return found;
  };
  return {
    isNeeded: mayForget,
    async remember(client, parts) {
      const kept = keptParts(client, parts);
      const first = kept.find((part) => part.type === "tool-call");
      if (first === undefined) return;
      const key = keyOf(toCallId(getProfile(client).callIds, first.id));
      cache.save(`${owner}/${key}`, kept, sizeOf(kept));
      await store.save(key, { turns: [{ role: "assistant", parts: kept }], responseText: "" }, sizeOf(kept));
    },
    async restore(request, client, upstream) {
      if (!mayForget(client, upstream) || !request.turns.some(hasCall)) return request;
      const turns = await Promise.all(
        request.turns.map(async (turn) => {
          const [call] = turn.parts.filter((part) => part.type === "tool-call");
          if (turn.role !== "assistant" || call === undefined) return turn;
          return withRemembered(turn, await load(call.id), upstream);
        }),
      );
      return { ...request, turns: turns.some(hasPhase) ? turns.map(withFinalPhase) : turns };
    },
  };
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce(
    (sum, part) =>
      sum + (part.type === "reasoning" ? part.text.length + (part.signature?.length ?? 0) : ENTRY_SIZE),
    ENTRY_SIZE,
  );
}

function hasCall({ role, parts }: Turn): boolean {
  return role === "assistant" && parts.some((part) => part.type === "tool-call");
}

function hasPhase({ parts }: Turn): boolean {
  return parts.some((part) => getPhase(part) !== undefined);
}

function mayForget(client: Dialect, upstream: UpstreamDialect): boolean {
  const { storesResponses, client: facts } = getProfile(client);
  return facts.forgetsReasoning === true || (!storesResponses && getProfile(upstream).storesResponses);
}

/**
 * Returns the data of a response that a client discards: the parts without the texts and arguments, which the client
 * sends back. Returns an empty list if nothing would be lost.
 */
function keptParts(client: Dialect, parts: readonly Part[]): readonly Part[] {
  const { client: facts, storesResponses } = getProfile(client);
  const forgetsReasoning = facts.forgetsReasoning === true;
  const kept = parts.flatMap((part): Part[] => {
    switch (part.type) {
      case "reasoning": {
        const { origin: _, ...reasoning } = part;
        return forgetsReasoning && part.signature !== undefined ? [reasoning] : [];
      }
      case "text": {
        const phase = storesResponses ? undefined : getPhase(part);
        const signature = forgetsReasoning ? part.signature : undefined;
        return [
          {
            type: "text",
            text: "",
            ...(signature !== undefined && { signature }),
            ...(phase !== undefined && { origin: { dialect: "responses", raw: { phase } } as const }),
          },
        ];
      }
      case "tool-call": {
        const signature = forgetsReasoning ? part.signature : undefined;
        const call = { type: "tool-call", id: part.id, name: "", arguments: "" } as const;
        return [signature === undefined ? call : { ...call, signature }];
      }
      default:
        return [];
    }
  });
  const isWorthKeeping = kept.some(
    (part) =>
      part.type === "reasoning" ||
      ((part.type === "text" || part.type === "tool-call") && part.signature !== undefined) ||
      getPhase(part) !== undefined,
  );
  return isWorthKeeping ? kept : [];
}

/**
 * Returns a turn with its stored parts added. Returns the turn unchanged if nothing is stored, or if the client has
 * sent signatures itself.
 */
function withRemembered(turn: Turn, remembered: Remembered, upstream: UpstreamDialect): Turn {
  const hasOwn = turn.parts.some(
    (part) =>
      (part.type === "reasoning" && part.signature !== undefined) ||
      (part.type === "tool-call" && part.signature !== undefined),
  );
  if (remembered.length === 0 || hasOwn) return turn;
  const thoughts = groupThoughts(remembered, upstream);
  const signatures = new Map<string, string>();
  for (const part of remembered)
    if (part.type === "tool-call" && part.signature !== undefined)
      signatures.set(unwrapCallId(part.id), part.signature);
  const texts = remembered.filter((part) => part.type === "text");
  const isSigner = upstream === "generative-language";
  let textAt = 0;
  const parts = turn.parts
    // Thinking without a signature is a copy for display, which the signed thinking replaces.
    .filter((part) => !(part.type === "reasoning" && thoughts.size > 0))
    .flatMap((part): Part[] => {
      if (part.type === "text") return [withTextFacts(part, texts[textAt++] ?? texts.at(-1), isSigner)];
      if (part.type !== "tool-call") return [part];
      const id = unwrapCallId(part.id);
      const signature = isSigner ? signatures.get(id) : undefined;
      return [...(thoughts.get(id) ?? []), signature === undefined ? part : { ...part, signature }];
    });
  return { ...turn, parts: [...(thoughts.get(START) ?? []), ...parts] };
}

/** The key of thinking that starts a turn. */
const START = "";

/**
 * Groups the signed thinking of the upstream's vendor by the tool call that follows it. Thinking at the start of the
 * turn has the key `START`.
 */
function groupThoughts(remembered: Remembered, upstream: UpstreamDialect): Map<string, ReasoningPart[]> {
  const groups = new Map<string, ReasoningPart[]>();
  let waiting: ReasoningPart[] = [];
  let isStart = true;
  const flush = (key: string) => {
    if (waiting.length > 0) groups.set(key, waiting);
    waiting = [];
  };
  for (const part of remembered) {
    if (part.type === "reasoning") {
      if (part.vendor === upstream) waiting.push(part);
      continue;
    }
    if (isStart) flush(START);
    else if (part.type === "tool-call") flush(unwrapCallId(part.id));
    isStart = false;
  }
  return groups;
}

function withTextFacts(part: TextPart, known: TextPart | undefined, isSigner: boolean): TextPart {
  const phase = known === undefined ? undefined : getPhase(known);
  return {
    ...part,
    ...(isSigner &&
      known?.signature !== undefined &&
      part.signature === undefined && { signature: known.signature }),
    ...(phase !== undefined && part.origin === undefined && known?.origin && { origin: known.origin }),
  };
}

/** Marks the texts of an assistant turn as final if the turn has neither tool calls nor phases. */
function withFinalPhase(turn: Turn): Turn {
  if (turn.role !== "assistant" || hasCall(turn) || hasPhase(turn)) return turn;
  const origin = { dialect: "responses", raw: { phase: "final_answer" } } as const;
  return {
    ...turn,
    parts: turn.parts.map((part) =>
      part.type === "text" && part.origin === undefined ? { ...part, origin } : part,
    ),
  };
}
