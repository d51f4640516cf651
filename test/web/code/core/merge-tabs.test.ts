import { describe, expect, it } from "vitest";
import type { ReviewComment } from "../../../../web/code/core/comment.ts";
import { mergeTabs } from "../../../../web/code/core/merge-tabs.ts";
import type { DraftContent } from "../../../../web/code/state/draft.ts";

const comment = (id: string, text: string): ReviewComment => ({
  id,
  type: "comment",
  text,
  images: [],
  createdAt: "2026-01-01T00:00:00Z",
  diff: { type: "uncommitted", label: "Uncommitted changes" },
});
const draft = (content: Partial<DraftContent>): DraftContent => ({
  version: 1,
  comments: [],
  editing: [],
  viewed: [],
  ...content,
});
const merge = (base: DraftContent | undefined, mine: DraftContent, theirs: DraftContent) =>
  mergeTabs(base, mine, theirs, () => "copy");

describe("the drafts of two tabs of a code review", () => {
  it("have the viewed marks that either tab has set or removed", () => {
    const base = draft({
      viewed: [
        ["a", "1"],
        ["b", "1"],
        ["__proto__", "1"],
      ],
    });
    const mine = draft({
      viewed: [
        ["a", "1"],
        ["b", "1"],
        ["__proto__", "2"],
        ["c", "1"],
      ],
    });
    const theirs = draft({
      viewed: [
        ["b", "1"],
        ["__proto__", "1"],
        ["d", "1"],
      ],
    });
    expect(new Map(merge(base, mine, theirs).viewed)).toEqual(
      new Map([
        ["b", "1"],
        ["__proto__", "2"],
        ["c", "1"],
        ["d", "1"],
      ]),
    );
    expect(merge(undefined, draft({}), theirs).viewed).toEqual(theirs.viewed);
  });

  it("keep a comment that was just opened in its own tab", () => {
    const opened = draft({ comments: [comment("a", "")], editing: ["a"] });
    expect(merge(opened, opened, draft({}))).toMatchObject({ comments: opened.comments, editing: ["a"] });
    expect(merge(draft({}), draft({}), opened)).toMatchObject({ comments: [], editing: [] });
  });

  it("lose a comment that the other tab has sent or deleted", () => {
    const base = draft({ comments: [comment("a", "one"), comment("b", "two")], editing: ["a"] });
    const theirs = draft({ comments: [comment("b", "two")] });
    expect(merge(base, base, theirs)).toMatchObject({ comments: theirs.comments, editing: [] });
  });

  it("keep both texts of a comment that both tabs have changed, and the editor at the own one", () => {
    const base = draft({ comments: [comment("a", "one")] });
    const mine = draft({ comments: [comment("a", "mine")], editing: ["a"] });
    const theirs = draft({ comments: [comment("a", "theirs")], editing: ["a"] });
    expect(merge(base, mine, theirs)).toMatchObject({
      comments: [comment("a", "theirs"), comment("copy", "mine")],
      editing: ["copy"],
    });
  });

  it("keep edited feedback that only one tab has changed", () => {
    const edited = { composed: "a", text: "b" };
    expect(merge(draft({ edited }), draft({ edited }), draft({})).edited).toBeUndefined();
    expect(merge(draft({}), draft({ edited }), draft({})).edited).toBe(edited);
  });

  it("keep the feedback of both tabs if both have edited it", () => {
    const edit = (text: string) => draft({ edited: { composed: "one\ntwo\nthree", text } });
    const merged = merge(draft({}), edit("one by me\ntwo\nthree"), edit("one\ntwo\nthree by them")).edited;
    expect(merged).toEqual({ composed: "one\ntwo\nthree", text: "one by me\ntwo\nthree by them" });
    const same = merge(edit("one"), edit("one by me"), edit("one by them")).edited;
    expect(same?.text).toBe("one by them\none by me");
    expect(merge(edit("one"), draft({}), edit("one by them")).edited?.text).toBe("one by them");
    expect(merge(edit("one"), edit("one by me"), draft({})).edited?.text).toBe("one by me");
  });
});
