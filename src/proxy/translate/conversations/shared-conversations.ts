import { parseJson, stringifyJson } from "../../exchange/json.ts";
import type { Conversation, ConversationStore } from "./conversation-store.ts";

/** A store in another process that keeps each conversation as bytes. */
export interface KeptElsewhere {
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
 * Creates a store that several processes share. Conversations are sent as JSON, which keeps `RawJson` and all digits
 * of numbers; a structured clone would lose them. `save` resolves when every process can load the conversation.
 */
export function createSharedConversations(elsewhere: KeptElsewhere): ConversationStore {
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
