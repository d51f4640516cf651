import { beforeEach, describe, expect, it } from "vitest";
import type { ReviewComment } from "../../../../web/code/core/comment.ts";
import { addComment, removeComment, undoLast, useComments } from "../../../../web/code/state/comments.ts";

const comment = (id: string): ReviewComment => ({
  id,
  type: "comment",
  text: `Text of ${id}`,
  images: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  diff: { type: "uncommitted", label: "Uncommitted changes" },
});
const ids = () => useComments.getState().comments.map(({ id }) => id);

beforeEach(() => {
  while (undoLast());
  useComments.setState(useComments.getInitialState());
});

describe("undoing deleted comments", () => {
  it("restores them by key, the last one first, at their positions", () => {
    for (const id of ["a", "b", "c"]) addComment(comment(id));
    removeComment("a");
    removeComment("c");
    expect(undoLast()).toBe(true);
    expect(ids()).toEqual(["b", "c"]);
    expect(undoLast()).toBe(true);
    expect(ids()).toEqual(["a", "b", "c"]);
    expect(undoLast()).toBe(false);
  });

  it("by key skips a deletion that a message has undone", () => {
    for (const id of ["a", "b"]) addComment(comment(id));
    removeComment("a");
    const undo = removeComment("b");
    undo();
    expect(ids()).toEqual(["b"]);
    undo();
    expect(ids()).toEqual(["b"]);
    expect(undoLast()).toBe(true);
    expect(ids()).toEqual(["a", "b"]);
    expect(undoLast()).toBe(false);
  });
});
