import type { Part } from "../../exchange/parts.ts";
import type { Tool, Turn } from "../../exchange/request.ts";

/** What was said up to an answer, the answer included, and the answer as its client was told it: JSON text. */
export interface Conversation {
  readonly turns: readonly Turn[];
  /** Empty for a thread, which nobody reads again. */
  readonly answer: string;
  /** What a thread was created with; later calls of it do not send it again. */
  readonly thread?: ThreadFrame;
}

/** What belongs to a thread beside its turns. */
export interface ThreadFrame {
  readonly instructions: readonly Part[];
  readonly tools: readonly Tool[];
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

/** Conversations in memory, of this process alone. */
export function createMemoryConversations(bounds?: Bounds): ConversationStore {
  const kept = createBoundedStore<Conversation>(bounds);
  return {
    load: async (id) => kept.load(id),
    save: async (id, conversation, size) => kept.save(id, conversation, size),
    delete: async (id) => kept.delete(id),
  };
}

/** Values under ids. */
export interface BoundedStore<Value> {
  load(id: string): Value | undefined;
  /** `size` is about how many characters it holds. */
  save(id: string, value: Value, size: number): void;
  delete(id: string): void;
}

/** The values not used for longest are forgotten first. */
export function createBoundedStore<Value>(
  bounds: Bounds = { entries: 1_000, characters: 64 * 1024 * 1024 },
): BoundedStore<Value> {
  const kept = new Map<string, { readonly value: Value; readonly size: number }>();
  let characters = 0;

  const forget = (id: string) => {
    characters -= kept.get(id)?.size ?? 0;
    kept.delete(id);
  };
  return {
    load(id) {
      const entry = kept.get(id);
      if (entry === undefined) return undefined;
      kept.delete(id);
      kept.set(id, entry);
      return entry.value;
    },
    save(id, value, size) {
      forget(id);
      if (size > bounds.characters) return;
      kept.set(id, { value, size });
      characters += size;
      for (const oldest of kept.keys()) {
        if (kept.size <= bounds.entries && characters <= bounds.characters) return;
        forget(oldest);
      }
    },
    delete: forget,
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
