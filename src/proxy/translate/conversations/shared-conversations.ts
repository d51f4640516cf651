import { setTimeout as pause } from "node:timers/promises";
import { parseJson, stringifyJson } from "../../exchange/json.ts";
import type { Gateway, GatewayStore } from "../../gateway/gateway.ts";
import {
  type Conversation,
  type ConversationStore,
  createMemoryConversations,
} from "./conversation-store.ts";

/** A store outside this process that contains each conversation as bytes. */
export interface RemoteConversations {
  load(id: string): Promise<Uint8Array | undefined>;
  save(entry: KeptEntry): Promise<void>;
  delete(id: string): Promise<void>;
}

export interface KeptEntry {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Approximate length in characters. */
  readonly size: number;
}

/**
 * Creates a store that several processes share. Conversations are sent as JSON, because a structured clone would lose
 * `RawJson` and some digits of numbers. `save` resolves when every process can load the conversation.
 */
export function createSharedConversations(elsewhere: RemoteConversations): ConversationStore {
  return {
    async load(id) {
      const bytes = await elsewhere.load(id);
      return bytes && (parseJson(Buffer.from(bytes).toString("utf8")) as Conversation);
    },
    save: (id, conversation, size) =>
      elsewhere.save({ id, bytes: Buffer.from(stringifyJson(conversation)), size }),
    delete: (id) => elsewhere.delete(id),
  };
}

/** Milliseconds that a call waits for a database that does not respond. */
const MAX_WAIT_MS = 5_000;

/**
 * Creates a store of conversations in the database, so that any replica can continue them, even after a restart. A
 * conversation is stored in `memory` if there is no database, or if the database does not store it within `waitMs`.
 */
export function createStoredConversations(
  gateway: Gateway | undefined,
  memory: ConversationStore = createMemoryConversations(),
  waitMs: number = MAX_WAIT_MS,
): ConversationStore {
  if (gateway === undefined) return memory;
  const run = async <Result>(use: (store: GatewayStore) => Promise<Result>): Promise<Result> => {
    if ((await gateway.state()).status === "down") throw new Error("The database is down");
    const waiting = new AbortController();
    const timeout = pause(waitMs, undefined, { ref: false, signal: waiting.signal }).then(() => {
      throw new Error("The database does not respond");
    });
    timeout.catch(() => {});
    try {
      return await Promise.race([gateway.store().then(use), timeout]);
    } finally {
      waiting.abort();
    }
  };
  const stored = createSharedConversations({
    load: (id) => run((store) => store.loadResponse(id)),
    save: ({ id, bytes }) => run((store) => store.saveResponse({ id, bytes })),
    delete: (id) => run((store) => store.deleteResponse(id)),
  });
  return {
    async load(id, onUnavailable) {
      const found = await stored.load(id).catch(() => {
        onUnavailable?.();
        return undefined;
      });
      return found ?? memory.load(id);
    },
    save: (id, conversation, size) =>
      stored.save(id, conversation, size).catch(() => memory.save(id, conversation, size)),
    async delete(id) {
      await Promise.all([stored.delete(id).catch(() => {}), memory.delete(id)]);
    },
  };
}
