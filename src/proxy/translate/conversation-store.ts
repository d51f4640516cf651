import type { Turn } from "../exchange/request.ts";

/** What was said up to an answer, the answer included, and the answer as its client was told it: JSON text. */
export interface Conversation {
  readonly turns: readonly Turn[];
  readonly answer: string;
}

/** Keeps conversations under the ids of `responses` answers, for `previous_response_id` and for reading them again. */
export interface ConversationStore {
  load(id: string): Promise<Conversation | undefined>;
  /** `size` is about how many characters it holds. */
  save(id: string, conversation: Conversation, size: number): Promise<void>;
  delete(id: string): Promise<void>;
}

interface Bounds {
  readonly entries: number;
  readonly characters: number;
}

/** Conversations in memory; the ones not used for longest are forgotten first. */
export function createMemoryConversations(
  bounds: Bounds = { entries: 1_000, characters: 64 * 1024 * 1024 },
): ConversationStore {
  const kept = new Map<string, { readonly conversation: Conversation; readonly size: number }>();
  let characters = 0;

  const forget = (id: string) => {
    characters -= kept.get(id)?.size ?? 0;
    kept.delete(id);
  };
  return {
    async load(id) {
      const entry = kept.get(id);
      if (entry === undefined) return undefined;
      kept.delete(id);
      kept.set(id, entry);
      return entry.conversation;
    },
    async save(id, conversation, size) {
      forget(id);
      if (size > bounds.characters) return;
      kept.set(id, { conversation, size });
      characters += size;
      for (const oldest of kept.keys()) {
        if (kept.size <= bounds.entries && characters <= bounds.characters) return;
        forget(oldest);
      }
    },
    async delete(id) {
      forget(id);
    },
  };
}

/**
 * The conversations of one owner alone. Nobody reads, continues, deletes or overwrites another's, whatever ids they
 * know: to each of them the others' do not exist.
 */
export function conversationsOf(store: ConversationStore, owner: string): ConversationStore {
  const named = (id: string) => `${owner}/${id}`;
  return {
    load: (id) => store.load(named(id)),
    save: (id, conversation, size) => store.save(named(id), conversation, size),
    delete: (id) => store.delete(named(id)),
  };
}
