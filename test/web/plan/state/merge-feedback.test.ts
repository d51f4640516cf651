import { beforeEach, describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanAnnotation, PlanState } from "../../../../src/review/api-types.ts";
import { addAnnotations } from "../../../../web/plan/state/actions.ts";
import { setRewritten } from "../../../../web/plan/state/edited-feedback.ts";
import { mergeOtherTab, type SharedContent } from "../../../../web/plan/state/merge-tab.ts";
import { getFeedback } from "../../../../web/plan/state/plan-feedback.ts";
import { useReview } from "../../../../web/plan/state/review-store.ts";

const plan = "# Plan\n\nFirst words.\n";
const annotation = (id: string, text: string): PlanAnnotation => ({
  id,
  type: "general",
  text,
  createdAt: `2026-01-01T00:00:00.${id.padStart(3, "0")}Z`,
});
const [a, b] = [annotation("1", "Dig deeper."), annotation("2", "Dig wider.")];
/** Merges a draft of the other tab, as the network delivers it. */
const merge = (known: SharedContent, theirs: SharedContent) => mergeOtherTab<SharedContent>(known, theirs);
const feedback = () => getFeedback(useReview.getState(), "request-changes");
const edit = (before: string, after: string) => setRewritten(feedback().replace(before, after));
const base: SharedContent = { annotations: [a], note: "" };
/** The feedback composed of the first comment, edited. */
const rewrittenAs = (text: string) => feedback().replace("Dig deeper.", text);

beforeEach(() => {
  useReview.setState({
    ...useReview.getInitialState(),
    plan: { plan } as PlanState,
    document: parseMarkdown(plan),
    annotations: [a],
  });
});

describe("the edited feedback of two tabs", () => {
  it("has the edits of both", () => {
    const theirs = { ...base, rewritten: `${feedback()}\nTheirs.\n` };
    edit("# Changes requested to the plan", "# My changes");
    merge(base, theirs);
    expect(feedback()).toMatch(/^# My changes\n[\s\S]*> Dig deeper\.\n\nTheirs\.\n$/);
  });

  it("has both versions of a line that both edited", () => {
    const theirs = { ...base, rewritten: rewrittenAs("Dig it.") };
    edit("Dig deeper.", "Fill it.");
    merge(base, theirs);
    expect(feedback()).toContain("> Dig it.\n> Fill it.\n");
  });

  it("has a comment that one tab added while the other edited the feedback", () => {
    edit("Dig deeper.", "Dig deeper, please.");
    merge(base, { annotations: [a, b], note: "" });
    expect(feedback()).toMatch(/> Dig deeper, please\.[\s\S]*> Dig wider\./);
  });

  it("keeps the edits that the other tab discarded when a comment was added there", () => {
    edit("Dig deeper.", "Dig deeper, please.");
    const shared = { ...base, rewritten: feedback() };
    merge(shared, { annotations: [a, b], note: "" });
    expect(feedback()).toMatch(/> Dig deeper, please\.[\s\S]*> Dig wider\./);
  });

  it("has a comment of this tab that the edited text of the other tab does not have", () => {
    const theirs = { ...base, rewritten: rewrittenAs("Dig deeper, please.") };
    addAnnotations([b]);
    merge(base, theirs);
    expect(feedback()).toMatch(/> Dig deeper, please\.[\s\S]*> Dig wider\./);
  });

  it("has no edits after one tab has discarded them", () => {
    const composed = feedback();
    edit("Dig deeper.", "Dig deeper, please.");
    merge({ ...base, rewritten: feedback() }, base);
    expect(useReview.getState().rewritten).toBeUndefined();
    expect(feedback()).toBe(composed);
  });
});
