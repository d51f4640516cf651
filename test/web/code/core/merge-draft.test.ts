import { describe, expect, it } from "vitest";
import { mergeDraft, type ReviewComment } from "../../../../web/code/core/comment.ts";
import type { DraftContent } from "../../../../web/code/state/draft.ts";

const comment = (id: string, text: string): ReviewComment => ({
  id,
  text,
  type: "comment",
  images: [],
  createdAt: "2026-11-22",
  diff: { type: "uncommitted", label: "Uncommitted changes" },
});
const draft = (more: Partial<DraftContent>): DraftContent => ({
  version: 1,
  comments: [],
  editing: [],
  viewed: [],
  ...more,
});

describe("a draft that loads after the person began to write", () => {
  it("keeps both, the older first, and each comment once", () => {
    const kept = draft({
      comments: [comment("a", "kept"), comment("b", "kept")],
      editing: ["b"],
      viewed: [
        ["x", "1"],
        ["__proto__", "1"],
      ],
    });
    const written = draft({
      comments: [comment("b", "same"), comment("c", "new")],
      editing: ["c"],
      viewed: [
        ["y", "2"],
        ["__proto__", "2"],
      ],
    });
    const merged = mergeDraft(kept, written);
    expect(merged.comments.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(merged.editing).toEqual(["b", "c"]);
    expect(merged.viewed).toEqual([
      ["x", "1"],
      ["__proto__", "2"],
      ["y", "2"],
    ]);
  });

  it("omits an editor that was left empty", () => {
    const kept = draft({ comments: [comment("a", " \n"), comment("b", "kept")], editing: ["a"] });
    expect(mergeDraft(kept, draft({})).comments.map(({ id }) => id)).toEqual(["b"]);
  });

  it("keeps manually edited feedback, the newer one of two", () => {
    const [older, newer] = ["older", "newer"].map((text) => ({ edited: { composed: "c", text } }));
    expect(mergeDraft(draft(older ?? {}), draft({})).edited?.text).toBe("older");
    expect(mergeDraft(draft(older ?? {}), draft(newer ?? {})).edited?.text).toBe("newer");
  });

  it("accepts viewed marks in the format of the first drafts", () => {
    const kept = { ...draft({}), viewed: { x: "1" } as unknown as DraftContent["viewed"] };
    expect(mergeDraft(kept, draft({ viewed: [["y", "2"]] })).viewed).toEqual([
      ["x", "1"],
      ["y", "2"],
    ]);
  });

  it("is the written text if nothing was stored", () => {
    const written = draft({ comments: [comment("c", "new")], editing: ["c"] });
    expect(mergeDraft(draft({}), written)).toEqual(written);
  });
});
