import type { Part } from "../../exchange/parts.ts";
import type { Tool, Turn } from "../../exchange/request.ts";

/** The turns up to and including a response, and that response as the client received it. */
export interface Conversation {
  readonly turns: readonly Turn[];
  /** The response as JSON text; empty for threads and for `CallMemory`, whose responses clients cannot read. */
  readonly responseText: string;
  /** Set if the conversation is a thread, whose later calls can leave out the instructions and tools. */
  readonly thread?: ThreadFrame;
}

/** The instructions and tools of a thread. */
export interface ThreadFrame {
  readonly instructions: readonly Part[];
  readonly tools: readonly Tool[];
}

/**
 * Stores conversations by the response ids of the responses dialect (for `previous_response_id`, `item_reference` and
 * `GET`), threads of the messages dialect, and the data of `CallMemory`.
 */
export interface ConversationStore {
  /**
   * Returns a conversation, or undefined if there is none. Calls `onUnavailable` if the store cannot be read; undefined
   * then does not mean that there is no conversation.
   */
  load(id: string, onUnavailable?: () => void): Promise<Conversation | undefined>;
  /** Stores a conversation. `size` is its approximate length in characters. */
  save(id: string, conversation: Conversation, size: number): Promise<void>;
  delete(id: string): Promise<void>;
}

interface Bounds {
  readonly entries: number;
  readonly characters: number;
}

/** Creates a store in the memory of this process. */
export function createMemoryConversations(bounds?: Bounds): ConversationStore {
  const kept = createBoundedStore<Conversation>(bounds);
  return {
    load: async (id) => kept.load(id),
    save: async (id, conversation, size) => kept.save(id, conversation, size),
    delete: async (id) => kept.delete(id),
  };
}

/** A bounded map from ids to values. */
export interface BoundedStore<Value> {
  load(id: string): Value | undefined;
  /** Stores a value. `size` is its approximate length in characters. */
  save(id: string, value: Value, size: number): void;
  delete(id: string): void;
}

/** Creates a store that evicts the least recently used values. */
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
 * Returns a view of the store with the conversations of one owner. An owner cannot read, continue, delete or
 * overwrite the conversations of another, even with their ids.
 */
export function scopeConversations(store: ConversationStore, owner: string): ConversationStore {
  const named = (id: string) => `${owner}/${id}`;
  return {
    load: (id, onUnavailable) => store.load(named(id), onUnavailable),
    save: (id, conversation, size) => store.save(named(id), conversation, size),
    delete: (id) => store.delete(named(id)),
  };
}
