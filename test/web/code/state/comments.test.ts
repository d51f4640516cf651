import { describe, expect, it } from "vitest";
import { findLine, lineText } from "../../../../src/render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../../src/render/diff/patch/scan-patch.ts";
import {
  inFileOrder,
  isBlank,
  type LineAnchor,
  pathsMoved,
  type ReviewComment,
} from "../../../../web/code/core/comment.ts";
import { type FeedbackContext, feedbackMarkdown, toAnnotations } from "../../../../web/code/core/feedback.ts";
import { anchorLines, relocate } from "../../../../web/code/core/relocate.ts";

const before = scanPatch("@@ -1,5 +1,6 @@\n one\n-two\n+2\n+2b\n three\n four\n five\n");

function anchorIn(patch: typeof before, side: "old" | "new", start: number, end: number) {
  return anchorLines(side, start, end, (number) => {
    const line = findLine(patch, side, number);
    return line < 0 ? undefined : lineText(patch, line);
  });
}

const comment = (members: Partial<ReviewComment>): ReviewComment => ({
  id: "c1",
  type: "comment",
  text: "",
  images: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  diff: { type: "uncommitted", label: "Uncommitted changes" },
  ...members,
});

describe("relocate", () => {
  const anchor = anchorIn(before, "new", 2, 3);

  it("keeps a position whose text has not moved", () => {
    expect(relocate(anchor, before)).toEqual({ start: 2, end: 3 });
  });

  it("finds moved lines by their text", () => {
    const moved = scanPatch("@@ -1,4 +1,8 @@\n+zero\n+half\n one\n-two\n+2\n+2b\n three\n four\n");
    expect(relocate(anchor, moved)).toEqual({ start: 4, end: 5 });
  });

  it("prefers the position with the same surroundings over a nearer one", () => {
    const single = anchorIn(before, "new", 4, 4);
    expect(single).toMatchObject({ lines: ["three"], before: ["one", "2", "2b"], after: ["four", "five"] });
    const twice = scanPatch("@@ -0,0 +1,9 @@\n+a\n+b\n+three\n+c\n+one\n+2\n+2b\n+three\n+four\n");
    expect(relocate(single, twice)).toEqual({ start: 8, end: 8 });
  });

  it("returns nothing if the text is gone, or on the other side only", () => {
    expect(relocate(anchor, scanPatch("@@ -1 +1 @@\n-2\n+x\n"))).toBeUndefined();
    expect(relocate(anchorIn(before, "old", 2, 2), scanPatch("@@ -0,0 +1 @@\n+two\n"))).toBeUndefined();
  });

  it("does not treat the next hunk's line as the following one", () => {
    const apart = scanPatch("@@ -1 +1 @@\n-a\n+2\n@@ -9 +9 @@\n-b\n+2b\n");
    expect(relocate(anchor, apart)).toBeUndefined();
  });
});

describe("comments", () => {
  it("come in the order of the files, the general ones first", () => {
    const all = [
      comment({ id: "late", path: "b", place: anchorIn(before, "new", 2, 2) }),
      comment({ id: "file", path: "b" }),
      comment({ id: "general" }),
      comment({ id: "first", path: "a" }),
    ];
    const order = ["b", "a"];
    expect(inFileOrder(all, (path) => order.indexOf(path)).map(({ id }) => id)).toEqual([
      "general",
      "file",
      "late",
      "first",
    ]);
  });

  it("are blank until they have text", () => {
    const anchor = anchorIn(before, "new", 2, 2);
    expect(isBlank(comment({ text: " \n" }))).toBe(true);
    expect(isBlank(comment({ type: "suggestion", place: anchor, suggestion: "2" }))).toBe(true);
    expect(isBlank(comment({ type: "suggestion", place: anchor, suggestion: "3" }))).toBe(false);
    expect(isBlank(comment({ images: [{ path: "/tmp/a.png", name: "a.png" }] }))).toBe(false);
  });
});

describe("feedbackMarkdown", () => {
  const context: FeedbackContext = {
    repository: { name: "shop", root: "/home/me/shop" },
    branch: "feature/a",
    diff: { type: "uncommitted", label: "Uncommitted changes", command: "git diff HEAD" },
    currentPosition: (each) => each.place && { start: each.place.start + 10, end: each.place.end + 10 },
  };
  const all = [
    comment({ id: "g", type: "concern", text: "Too much at once." }),
    comment({
      id: "s",
      type: "suggestion",
      path: "src/a.ts",
      place: anchorIn(before, "new", 2, 3),
      text: "One is enough.",
      suggestion: "2\n3",
    }),
    comment({
      id: "o",
      type: "concern",
      path: "src/b.ts",
      oldPath: "src/old.ts",
      place: anchorIn(before, "old", 2, 2),
      text: "Why?",
      images: [{ path: "/tmp/x.png", name: "x.png" }],
      diff: { type: "last-commit", label: "Last commit" },
    }),
    comment({ id: "f", path: "src/b.ts", text: "Split this file." }),
  ];

  it("contains path, lines, side, type and code, and suggestions as a diff", () => {
    expect(feedbackMarkdown(all, context)).toMatchInlineSnapshot(`
      "# Code review feedback

      A reviewer read \`git diff HEAD\` of \`shop\` (Uncommitted changes, branch \`feature/a\`) and left 4 items. Address each of them: apply suggestions as written, resolve concerns, and answer comments by changing the code or explaining why not. Paths start at \`/home/me/shop\`. Lines are counted in the file after the change (new side) or before it (old side).

      ## General

      ### 1. Concern on the whole change

      Too much at once.

      ## \`src/a.ts\`

      ### 2. Suggestion on lines 12-13 (new side)

      One is enough.

      Suggested change:

      \`\`\`diff
       2
      -2b
      +3
      \`\`\`

      ## \`src/b.ts\`

      ### 3. Concern on line 12 (old side: before the change)

      The lines are those of \`src/old.ts\`, from which the file was renamed or copied. The reviewer commented on another diff: Last commit.

      \`\`\`ts
      two
      \`\`\`

      Why?

      Images:
      - x.png: \`/tmp/x.png\`

      ### 4. Comment on the whole file

      Split this file.
      "
    `);
  });

  it("truncates long quotes", () => {
    const lines = ["x".repeat(500_000), ...Array.from({ length: 99 }, (_, at) => `line ${at}`)];
    const anchor: LineAnchor = { side: "new", start: 1, end: 100, lines, before: [], after: [] };
    const text = feedbackMarkdown([comment({ path: "a.js", place: anchor, text: "All this?" })], context);
    expect(text).toContain("x … 499500 more characters\nline 0\n");
    expect(text).toContain("line 58\n… 40 more lines\n```\n\nAll this?");
    expect(text.length).toBeLessThan(2_500);
  });

  it("goes on outside a code block that the person left open", () => {
    const text = feedbackMarkdown([comment({ text: "Rather:\n```js\na()" }), ...all.slice(0, 1)], context);
    expect(text).toContain("```js\na()\n```\n\n### 2.");
  });

  it("keeps a name with a line break in it on its line", () => {
    expect(feedbackMarkdown([comment({ path: "a\nb", text: "Odd." })], context)).toContain("## `a b`\n");
  });

  it("sends a suggestion without a change as a comment", () => {
    const anchor = anchorIn(before, "new", 2, 2);
    const unchanged = comment({
      type: "suggestion",
      path: "a.ts",
      place: anchor,
      suggestion: "2",
      text: "Why two?",
    });
    expect(feedbackMarkdown([unchanged], context)).toMatch(
      /### 1\. Comment on line 12 \(new side\)\n\n```\w*\n2\n```\n\nWhy two\?/,
    );
    const [annotation] = toAnnotations([unchanged], context.currentPosition);
    expect(annotation).toMatchObject({ type: "comment", text: "Why two?" });
    expect(annotation).not.toHaveProperty("suggestedCode");
  });

  it("reports lines that are not in the diff", () => {
    const lost = { ...context, currentPosition: () => undefined };
    expect(feedbackMarkdown(all.slice(1, 2), lost)).toContain("not in this diff");
  });

  it("formats annotations as the server expects, with their current lines", () => {
    expect(toAnnotations(all, context.currentPosition)).toEqual([
      {
        id: "s",
        type: "suggestion",
        filePath: "src/a.ts",
        lineStart: 12,
        lineEnd: 13,
        side: "new",
        text: "One is enough.",
        suggestedCode: "2\n3",
      },
      {
        id: "o",
        type: "concern",
        filePath: "src/b.ts",
        lineStart: 12,
        lineEnd: 12,
        side: "old",
        text: "Why?",
      },
      {
        id: "f",
        type: "comment",
        filePath: "src/b.ts",
        lineStart: 0,
        lineEnd: 0,
        side: "new",
        text: "Split this file.",
      },
    ]);
  });
});

describe("pathsMoved", () => {
  const anchor = anchorIn(before, "new", 2, 3);
  const onFile = comment({ id: "file", path: "a.ts" });
  const onLines = comment({ id: "lines", path: "b.ts", place: anchor });
  const general = comment({ id: "general" });

  it("returns the files where a comment was added, removed or moved to other lines", () => {
    const moved = { ...onLines, place: anchorIn(before, "new", 3, 3) };
    expect([...pathsMoved([onFile, onLines], [onLines])]).toEqual(["a.ts"]);
    expect([...pathsMoved([], [onFile, onLines])]).toEqual(["a.ts", "b.ts"]);
    expect([...pathsMoved([onFile, moved], [onFile, onLines])]).toEqual(["b.ts"]);
  });

  it("returns none for changed text, other orders and comments on the whole change", () => {
    const written = { ...onLines, text: "words" };
    expect([...pathsMoved([written, onFile, general], [onFile, onLines])]).toEqual([]);
  });
});
