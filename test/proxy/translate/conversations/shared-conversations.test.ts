import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, RawJson, stringifyJson } from "../../../../src/proxy/exchange/json.ts";
import type { ExchangeRequest, Turn } from "../../../../src/proxy/exchange/request.ts";
import type { Gateway } from "../../../../src/proxy/gateway/gateway.ts";
import {
  createCallCache,
  createCallMemory,
} from "../../../../src/proxy/translate/conversations/call-memory.ts";
import {
  type ConversationStore,
  createBoundedStore,
} from "../../../../src/proxy/translate/conversations/conversation-store.ts";
import {
  createSharedConversations,
  createStoredConversations,
} from "../../../../src/proxy/translate/conversations/shared-conversations.ts";
import { anyText, argumentsText } from "../../../support/exchange-arbitraries.ts";

/** Creates a store with which only copies of bytes are exchanged, as with another process. */
function createElsewhere() {
  const kept = createBoundedStore<Uint8Array>({ entries: 2, characters: 100 });
  return createSharedConversations({
    load: async (id) => structuredClone(kept.load(id)),
    save: async ({ id, bytes, size }) => kept.save(id, structuredClone(bytes), size),
    delete: async (id) => kept.delete(id),
  });
}

describe("conversations in another process", () => {
  it("are restored with all digits of numbers", async () => {
    const content = fc.record({ text: anyText, input: argumentsText, digits: fc.bigInt({ min: 2n ** 60n }) });
    await fc.assert(
      fc.asyncProperty(content, async ({ text, input, digits }) => {
        const raw = parseJson(`{"count": ${digits}, "text": ${JSON.stringify(text)}}`);
        const turns: Turn[] = [
          { role: "user", parts: [{ type: "text", text, origin: { dialect: "responses", raw } }] },
          {
            role: "assistant",
            parts: [
              {
                type: "tool-call",
                id: "call_1",
                name: "f",
                arguments: input,
                origin: { dialect: "responses", raw: { input: new RawJson(input) } },
              },
            ],
          },
        ];
        const store = createElsewhere();
        await store.save("resp_1", { turns, responseText: text }, 1);
        const back = await store.load("resp_1");
        expect(back?.responseText).toBe(text);
        expect(stringifyJson(back?.turns)).toContain(String(digits));
        expect(parseJson(stringifyJson(back?.turns))).toEqual(parseJson(stringifyJson(turns)));
      }),
      { numRuns: 50 },
    );
  });

  it("are evicted if there are too many, the least recently used first, and can be deleted", async () => {
    const store = createElsewhere();
    const save = (id: string, size = 1) => store.save(id, { turns: [], responseText: id }, size);
    await save("a");
    await save("b");
    await store.load("a");
    await save("c");
    await save("large", 101);
    const left = async () =>
      (await Promise.all(["a", "b", "c", "large"].map((id) => store.load(id)))).map(
        (kept) => kept?.responseText,
      );
    expect(await left()).toEqual(["a", undefined, "c", undefined]);
    await store.delete("a");
    expect(await left()).toEqual([undefined, undefined, "c", undefined]);
  });
});

describe("memory of calls", () => {
  const parts = [
    { type: "reasoning", text: "Hm", signature: "c2lnbmVk", vendor: "messages" },
    { type: "tool-call", id: "call_1", name: "f", arguments: "{}" },
  ] as const;
  const request = {
    turns: [{ role: "assistant", parts: [{ type: "tool-call", id: "call_1", name: "f", arguments: "{}" }] }],
  } as unknown as ExchangeRequest;
  const thoughts = ({ turns }: ExchangeRequest) =>
    turns.flatMap((turn) => turn.parts.filter(({ type }) => type === "reasoning"));

  it("asks a store again that could not be read, but not one that has nothing", async () => {
    let state: "down" | "empty" | "full" = "down";
    let reads = 0;
    const store: ConversationStore = {
      async load(_id, onUnavailable) {
        reads += 1;
        if (state === "down") onUnavailable?.();
        return state === "full" ? { turns: [{ role: "assistant", parts }], responseText: "" } : undefined;
      },
      save: async () => {},
      delete: async () => {},
    };
    const restore = (owner: string) =>
      createCallMemory(store, cache, owner).restore(request, "chat-completions", "messages");
    const cache = createCallCache();
    expect(thoughts(await restore("a"))).toEqual([]);
    state = "full";
    expect(thoughts(await restore("a"))).toHaveLength(1);
    state = "empty";
    reads = 0;
    await restore("b");
    await restore("b");
    expect(reads).toBe(1);
  });
});

describe("conversations in the database", () => {
  it("are reported as unavailable while the database is down", async () => {
    const gateway = { state: async () => ({ status: "down" }) } as unknown as Gateway;
    const store = createStoredConversations(gateway);
    let unavailable = 0;
    expect(await store.load("resp_1", () => (unavailable += 1))).toBeUndefined();
    expect(unavailable).toBe(1);
  });
});
