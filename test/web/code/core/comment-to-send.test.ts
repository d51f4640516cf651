import { describe, expect, it } from "vitest";
import type { ReviewComment } from "../../../../web/code/core/comment.ts";
import { threadBody } from "../../../../web/code/core/comment-to-send.ts";
import type { FeedbackContext } from "../../../../web/code/core/feedback.ts";
import { threadBody as planThread } from "../../../../web/plan/model/annotations.ts";

const comment: ReviewComment = {
  id: "1",
  type: "comment",
  path: "a.ts",
  place: { side: "new", start: 3, end: 4, lines: ["a", "b"], before: [], after: [] },
  text: "Why? ",
  images: [],
  createdAt: "2026-01-01T00:00:00Z",
  diff: { type: "uncommitted", label: "Uncommitted changes" },
};

/** The context of a diff that has the comment's lines at a position; undefined if it does not have them. */
const at = (position: { readonly start: number; readonly end: number } | undefined): FeedbackContext => ({
  repository: { name: "shop", root: "/shop" },
  branch: "main",
  diff: { type: "uncommitted", label: "Uncommitted changes", command: "git diff HEAD" },
  currentPosition: () => position,
});

describe("a comment that is sent as a thread", () => {
  it("is anchored to its current lines, its file or the review", () => {
    expect(threadBody(comment, at({ start: 8, end: 9 }))).toEqual({
      anchor: { kind: "lines", path: "a.ts", side: "new", lineStart: 8, lineEnd: 9 },
      type: "comment",
      markdown: "Why?",
    });
    const { place: _, ...onFile } = comment;
    expect(threadBody(onFile, at(undefined)).anchor).toEqual({ kind: "file", path: "a.ts" });
    const { path: __, ...general } = onFile;
    expect(threadBody(general, at(undefined))).toMatchObject({
      anchor: { kind: "review" },
      markdown: "Why?",
    });
  });

  it("names its file, lines and code if the diff does not have its lines", () => {
    const { markdown, ...rest } = threadBody({ ...comment, suggestion: "c" }, at(undefined));
    expect(rest).toEqual({ anchor: { kind: "review" }, type: "suggestion" });
    for (const part of ["`a.ts`: Comment on lines 3-4 (new side)", "Why?", "-a\n-b\n+c"])
      expect(markdown).toContain(part);
  });

  it("is a suggestion only if it changes code, and never has an empty message", () => {
    const suggestion = { ...comment, type: "suggestion", text: "" } as const;
    expect(threadBody({ ...suggestion, suggestion: "c" }, at({ start: 3, end: 4 }))).toMatchObject({
      type: "suggestion",
      suggestedCode: "c",
      markdown: "Change it as suggested.",
    });
    expect(threadBody({ ...suggestion, suggestion: "" }, at({ start: 3, end: 4 })).markdown).toBe(
      "Remove these lines.",
    );
    const same = threadBody({ ...suggestion, text: "Hm", suggestion: "a\nb" }, at({ start: 3, end: 4 }));
    expect(same.type).toBe("comment");
    expect(same).not.toHaveProperty("suggestedCode");
  });

  it("names its images", () => {
    const images = [{ path: "/tmp/x.png", name: "x.png" }];
    expect(threadBody({ ...comment, images }, at(undefined)).markdown).toContain("- x.png: `/tmp/x.png`");
  });
});

describe("an annotation that is sent as a thread", () => {
  const anchor = {
    start: 3,
    end: 9,
    startLine: 1,
    endLine: 1,
    quote: "oak",
    prefix: "",
    suffix: "",
  };
  const base = { id: "1", text: "", createdAt: "" };

  it("keeps what its type asks for", () => {
    expect(planThread({ ...base, type: "replace", anchor, replacement: "elm" })).toEqual({
      anchor: { kind: "plan", start: 3, end: 9 },
      type: "suggestion",
      markdown: "Replace this as suggested.",
      suggestedCode: "elm",
    });
    expect(planThread({ ...base, type: "delete", anchor })).toMatchObject({
      type: "suggestion",
      markdown: "Remove this.",
      suggestedCode: "",
    });
    expect(planThread({ ...base, type: "insert", anchor, replacement: "And test it." }).markdown).toContain(
      "Add this after it:",
    );
    expect(planThread({ ...base, type: "concern", anchor, text: "Risky" }).type).toBe("concern");
  });

  it("is on the whole plan if its text was removed", () => {
    const removed = planThread({
      ...base,
      type: "comment",
      text: "Why?",
      anchor: { ...anchor, removed: true },
    });
    expect(removed.anchor).toEqual({ kind: "review" });
    expect(removed.markdown).toContain("oak");
  });
});
