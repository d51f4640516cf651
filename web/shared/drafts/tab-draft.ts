import type { Draft } from "../../../src/review/api-types.ts";
import { createAutosave, type DraftStatus } from "./autosave.ts";
import { readDraft, writeDraft } from "./leaving-draft.ts";

/** The content of a draft that the tabs of a review share. */
interface TabContent {
  /** The `sessionId` of the review in which the draft was written. */
  readonly session?: string | undefined;
}

export interface TabDraftPorts<Content> {
  /** The `sessionId` of the review. */
  readonly session: string;
  /** Returns the id of the plan or the code review, which may change in a live review. */
  readonly owner: () => { readonly planId: string } | { readonly reviewId: string };
  /** Returns what this tab has to save. */
  readonly content: () => Content;
  /**
   * Merges the draft `theirs`, which another tab has saved, into this tab. `base` is the common ancestor. Returns the
   * next common ancestor, or undefined if the draft is invalid.
   */
  readonly merge: (base: Content | undefined, theirs: Content) => Content | undefined;
  /** Returns whether this tab has text that it does not share and that is missing in the draft `theirs`. */
  readonly isMissing?: (theirs: Content) => boolean;
  readonly onStatus: (status: DraftStatus) => void;
}

export interface TabDraft<Content> {
  /** Begins to save and to follow other tabs. `restored` is the draft that this tab has read and restored. */
  begin(restored: Pick<Draft<Content>, "generation" | "content">): void;
  /** Schedules a save. Does nothing during a merge: both tabs have the result, or a save is due anyway. */
  touch(): void;
  /** Saves unsaved changes now. A small request outlives the page. */
  flush(): void;
  /**
   * Merges the draft that another tab has saved. `generation` is that of the save that the server has announced;
   * absent if this tab may have missed saves.
   */
  follow(generation?: number): Promise<void>;
  stop(): void;
}

/** Saves what is typed in a tab, and merges what the other tabs of the same review save. */
export function createTabDraft<Content extends TabContent>(ports: TabDraftPorts<Content>): TabDraft<Content> {
  const { session, owner, content, merge, isMissing, onStatus } = ports;
  let base: Content | undefined;
  let baseGeneration = 0;
  /** The newest generation that the server has announced before `begin`. */
  let newest = 0;
  let hasBegun = false;
  let isMerging = false;
  const autosave = createAutosave<Content>({
    content: () => ({ ...content(), session }),
    put: async (draft, keepalive) => {
      const result = await writeDraft(session, { ...draft, ...owner() }, keepalive);
      // Another tab's newer draft may have been merged while this one was saved.
      if (result.ok && draft.generation > baseGeneration)
        [base, baseGeneration] = [draft.content, draft.generation];
      return result;
    },
    onStatus,
    onConflict: (theirs, generation) => {
      if (theirs.session !== session) return false;
      isMerging = true;
      try {
        const next = merge(base, theirs);
        if (next === undefined) return false;
        [base, baseGeneration] = [next, generation];
        // The other tab's save has replaced what this tab had saved.
        if (isMissing?.(theirs)) autosave.touch();
        return true;
      } finally {
        isMerging = false;
      }
    },
  });
  const follow = (generation?: number) => autosave.follow(() => readDraft<Content>(session), generation);
  return {
    begin(restored) {
      base = restored.content ?? undefined;
      baseGeneration = restored.generation;
      autosave.resume(restored.generation);
      hasBegun = true;
      void follow(newest);
    },
    touch() {
      if (!isMerging) autosave.touch();
    },
    flush: () => autosave.flush(),
    async follow(generation) {
      if (hasBegun) await follow(generation);
      else newest = Math.max(newest, generation ?? 0);
    },
    stop: () => autosave.stop(),
  };
}
