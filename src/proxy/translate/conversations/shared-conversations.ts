import { parseJson, stringifyJson } from "../../exchange/json.ts";
import type { Conversation, ConversationStore } from "./conversation-store.ts";

/** Where another process keeps conversations, each as the bytes it was given. */
export interface KeptElsewhere {
  load(id: string): Promise<Uint8Array | undefined>;
  save(entry: KeptEntry): Promise<void>;
  delete(id: string): Promise<void>;
}

export interface KeptEntry {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** About how many characters it holds. */
  readonly size: number;
}

/**
 * Conversations that several processes share. They travel as JSON, which keeps numbers digit by digit as calls do; a
 * copy of objects would lose what they are (`RawJson`). `save` resolves when every process can load it.
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
