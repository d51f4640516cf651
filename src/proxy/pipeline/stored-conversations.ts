import type { Gateway } from "../gateway/gateway.ts";
import {
  type ConversationStore,
  createMemoryConversations,
} from "../translate/conversations/conversation-store.ts";
import { createSharedConversations } from "../translate/conversations/shared-conversations.ts";

/**
 * Creates a store of conversations in the database, so that any replica continues them, also after a restart. While the
 * database is down, and without one, they are kept in `memory`.
 */
export function createStoredConversations(
  gateway: Gateway | undefined,
  memory: ConversationStore = createMemoryConversations(),
): ConversationStore {
  if (gateway === undefined) return memory;
  const open = async () => {
    if ((await gateway.state()).status === "down") throw new Error("The database is down");
    return gateway.store();
  };
  const stored = createSharedConversations({
    load: async (id) => (await open()).loadResponse(id),
    save: async ({ id, bytes }) => (await open()).saveResponse({ id, bytes }),
    delete: async (id) => (await open()).deleteResponse(id),
  });
  return {
    load: async (id) => (await stored.load(id).catch(() => undefined)) ?? memory.load(id),
    save: (id, conversation, size) =>
      stored.save(id, conversation, size).catch(() => memory.save(id, conversation, size)),
    async delete(id) {
      await Promise.all([stored.delete(id).catch(() => {}), memory.delete(id)]);
    },
  };
}
