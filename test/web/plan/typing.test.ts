import { beforeEach, describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanState } from "../../../src/review/api-types.ts";
import { linesAnchor } from "../../../web/plan/model/anchor.ts";
import {
  addAtOnce,
  applyTypedText,
  openDialog,
  setView,
  startAnnotation,
  typeSource,
  updateComposer,
} from "../../../web/plan/state/actions.ts";
import { editedPlan, getSource, useReview } from "../../../web/plan/state/review-store.ts";

const plan = "# Plan\n\nFirst words.\n\nLast words.\n";
const longer = `# Plan\n\nA new paragraph.\n\nFirst words.\n\nLast words.\n`;
const state = useReview.getState;

const anchorAt = (line: number) => {
  const anchor = linesAnchor(state().document, line, line);
  if (!anchor) throw new Error(`line ${line} is blank`);
  return anchor;
};

beforeEach(() => {
  const presented = { plan } as PlanState;
  useReview.setState({ ...useReview.getInitialState(), plan: presented, document: parseMarkdown(plan) });
});

describe("typing in the plan", () => {
  it("parses the plan again only when the editor closes", () => {
    setView("edit");
    const before = state().document;
    addAtOnce("delete", anchorAt(3));
    const { annotations } = state();
    typeSource(longer);
    expect([state().document, state().annotations]).toEqual([before, annotations]);
    expect(state().document).toBe(before);
    expect([getSource(state()), editedPlan(state())]).toEqual([longer, longer]);
    setView("plan");
    expect([state().document.source, state().typed]).toEqual([longer, undefined]);
    expect(state().annotations[0]?.anchor).toMatchObject({ startLine: 5, quote: "First words." });
  });

  it("is part of the plan when a decision is sent, as is the open annotation", () => {
    setView("edit");
    startAnnotation("comment", anchorAt(5));
    updateComposer({ text: "Why last?" });
    typeSource(longer);
    openDialog("request-changes");
    expect(state().document.source).toBe(longer);
    expect(state().annotations).toMatchObject([{ text: "Why last?", anchor: { startLine: 7 } }]);
  });

  it("keeps the open annotation, even if its text is gone", () => {
    startAnnotation("comment", anchorAt(5));
    typeSource(longer);
    applyTypedText();
    expect(state().composer?.anchor).toMatchObject({ startLine: 7, quote: "Last words." });
    typeSource("# Plan\n");
    applyTypedText();
    const { start = 0, end, quote } = state().composer?.anchor ?? {};
    expect([end, quote]).toEqual([start, "Last words."]);
  });

  it("is no change if it restores the same text", () => {
    const before = state().document;
    typeSource(longer);
    typeSource(plan);
    setView("plan");
    expect(state().document).toBe(before);
    expect(editedPlan(state())).toBeUndefined();
  });
});
