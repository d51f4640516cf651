import { beforeEach, describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanAnnotation, PlanState } from "../../../../src/review/api-types.ts";
import {
  addAnnotations,
  forgetAnnotation,
  removeAnnotation,
  setSource,
  typeSource,
  undo,
} from "../../../../web/plan/state/actions.ts";
import {
  discardEdit,
  restoreEdit,
  setNote,
  setRewritten,
} from "../../../../web/plan/state/edited-feedback.ts";
import { getFeedback } from "../../../../web/plan/state/plan-feedback.ts";
import { useReview } from "../../../../web/plan/state/review-store.ts";

const plan = "# Plan\n\nFirst words.\n";
const comment = (id: string): PlanAnnotation => ({
  id,
  type: "general",
  text: `Comment ${id}.`,
  createdAt: `2026-01-01T00:00:00.00${id}Z`,
});
const feedback = () => getFeedback(useReview.getState(), "request-changes");

beforeEach(() => {
  useReview.setState({
    ...useReview.getInitialState(),
    plan: { plan } as PlanState,
    document: parseMarkdown(plan),
    annotations: [comment("1")],
  });
});

describe("feedback that the person edited", () => {
  it.each<[string, () => void]>([
    ["a comment is added", () => addAnnotations([comment("2")])],
    ["a comment is deleted", () => removeAnnotation("1")],
    ["a comment has become a thread", () => forgetAnnotation("1")],
    ["the note changes", () => setNote("Briefly:")],
    ["the plan is edited", () => setSource("# Plan\n\nOther words.\n")],
    ["text is typed in the plan", () => typeSource("# Plan\n\nOther words.\n")],
    ["the person discards it", discardEdit],
  ])("can be used again after %s", (_, change) => {
    setRewritten("Mine.");
    change();
    expect(feedback()).not.toBe("Mine.");
    restoreEdit();
    expect(feedback()).toBe("Mine.");
  });

  it("can be used again after a change was undone", () => {
    addAnnotations([comment("2")]);
    setRewritten("Mine.");
    undo();
    expect(feedback()).toContain("Comment 1.");
    restoreEdit();
    expect(feedback()).toBe("Mine.");
  });

  it("is kept when the earlier edit replaces it", () => {
    setRewritten("First.");
    addAnnotations([comment("2")]);
    setRewritten("Second.");
    restoreEdit();
    expect(feedback()).toBe("First.");
    restoreEdit();
    expect(feedback()).toBe("Second.");
  });
});
