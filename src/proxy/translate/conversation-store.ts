import type { Turn } from "../exchange/request.ts";

/** Keeps what was said under the id of a `responses` answer, for `previous_response_id`. */
export interface ConversationStore {
  load(id: string): Promise<readonly Turn[] | undefined>;
  /** `size` is about how many characters the turns hold. */
  save(id: string, turns: readonly Turn[], size: number): Promise<void>;
}

interface Bounds {
  readonly entries: number;
  readonly characters: number;
}

/** Conversations in memory; the ones not used for longest are forgotten first. */
export function createMemoryConversations(
  bounds: Bounds = { entries: 1_000, characters: 64 * 1024 * 1024 },
): ConversationStore {
  const kept = new Map<string, { readonly turns: readonly Turn[]; readonly size: number }>();
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
      return entry.turns;
    },
    async save(id, turns, size) {
      forget(id);
      if (size > bounds.characters) return;
      kept.set(id, { turns, size });
      characters += size;
      for (const oldest of kept.keys()) {
        if (kept.size <= bounds.entries && characters <= bounds.characters) return;
        forget(oldest);
      }
    },
  };
}
