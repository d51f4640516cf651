import { describe, expect, it } from "vitest";
import type { PlanAnnotation } from "../../../../src/review/api-types.ts";
import { composeFeedback } from "../../../../web/plan/model/compose-feedback.ts";

const source = "# Plan\n\nDelete the table.\n\nThen rest.\n";
const anchor = {
  start: 8,
  end: 25,
  startLine: 3,
  endLine: 3,
  quote: "Delete the table.",
  prefix: "",
  suffix: "",
};
const note = (changes: Partial<PlanAnnotation>): PlanAnnotation => ({
  id: "1",
  type: "comment",
  anchor,
  text: "",
  createdAt: "2026-01-01",
  ...changes,
});
const compose = (...annotations: readonly PlanAnnotation[]) =>
  composeFeedback({ source, annotations, purpose: "request-changes" });

describe("feedback", () => {
  it("is empty without annotations and text", () => {
    expect(compose()).toBe("");
    expect(composeFeedback({ source, annotations: [], note: "  ", purpose: "approve" })).toBe("");
  });

  it("starts with what to do, then lists each annotation in document order", () => {
    const text = compose(
      note({
        id: "2",
        anchor: { ...anchor, start: 27, end: 37, startLine: 5, endLine: 6 },
        type: "concern",
        text: "Why?",
      }),
      note({ text: "Back it up first." }),
      note({ id: "3", type: "general", anchor: undefined as never, text: "Too long." }),
    );
    expect(text).toMatch(/^# Changes requested to the plan\n\nThe plan was not approved\. Revise it/);
    const headings = text.split("\n").filter((line) => line.startsWith("## "));
    expect(headings).toEqual([
      "## 1. About the plan as a whole",
      "## 2. Comment on line 3",
      "## 3. Concern about lines 5–6: resolve it, or explain why it is not a problem",
    ]);
    expect(text).toContain("```markdown\nDelete the table.\n```\n\n> Back it up first.");
  });

  it("does not count a praising label as a requested change", () => {
    const text = compose(
      note({ id: "2", type: "label", text: "Looks good" }),
      note({ id: "3", type: "label", text: "Needs tests" }),
    );
    expect(text).toContain("## 1. Needs tests (line 3)");
    expect(text).not.toContain("## 2.");
    expect(text).toContain("## Looks good\n\nKeep these parts as they are:\n\n- Line 3: `Delete the table.`");
    expect(compose(note({ type: "label", text: "Looks good" }))).not.toContain("every point below");
  });

  it("goes on outside a code block that the person left open", () => {
    const annotations = [note({ text: "Back it up first." })];
    const text = composeFeedback({ source, annotations, note: "```\nlike so", purpose: "request-changes" });
    expect(text).toContain("```\nlike so\n```\n\n## 1. Comment on line 3");
  });

  it.each([
    [{ type: "delete" as const }, "Remove this from the plan."],
    [
      { type: "replace" as const, replacement: "Rename it." },
      "Replace it with:\n\n```markdown\nRename it.\n```",
    ],
    [{ type: "replace" as const, replacement: "" }, "Remove this from the plan."],
    [{ type: "insert" as const, replacement: "Wait." }, "Add this after it:\n\n```markdown\nWait.\n```"],
    [{ type: "label" as const, text: "Needs tests" }, "## 1. Needs tests (line 3)"],
    [{ images: [{ path: "/tmp/a b.png", name: "a\nb" }] }, "- a b: `/tmp/a b.png`"],
    [{ images: [{ path: "/tmp/`x`.png", name: "x" }] }, "- x: `` /tmp/`x`.png ``"],
  ])("tells how to act on %o", (changes, expected) => {
    expect(compose(note(changes))).toContain(expected);
  });

  it("quotes the annotated text if its position is lost", () => {
    expect(compose(note({ anchor: { ...anchor, end: anchor.start }, text: "x" }))).toContain(
      "Delete the table.",
    );
  });

  it("contains the person's edits as a diff, on a denial", () => {
    const text = composeFeedback({ source, annotations: [], edits: "-a\n+b\n", purpose: "request-changes" });
    expect(text).toContain("## Changes I made to the plan");
    expect(text).toContain("```diff\n-a\n+b\n```");
  });

  it("introduces annotations on an approval as notes", () => {
    const text = composeFeedback({
      source,
      annotations: [note({ text: "Mind the backup." })],
      purpose: "approve",
    });
    expect(text).toMatch(/^# Notes on the approved plan/);
    expect(text).not.toContain("not approved");
  });

  it("quotes every line of an annotation", () => {
    const text = composeFeedback({ source, annotations: [note({ text: "a\n\n# b" })], purpose: "approve" });
    expect(text).toContain("> a\n>\n> # b");
  });
});
