import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanAnnotation, PlanState } from "../../../../src/review/api-types.ts";
import { linesAnchor, removedAnchor } from "../../../../web/plan/model/anchor.ts";
import { withoutPreamble } from "../../../../web/plan/model/compose-feedback.ts";
import { composedFeedback } from "../../../../web/plan/state/plan-feedback.ts";
import { type ReviewState, useReview } from "../../../../web/plan/state/review-store.ts";

const sent = "# Plan\n\nDelete the table.\n\nThen rest.\n";
const edited = "# Plan\n\nBack up first.\n\nThree more\n\nblocks here.\n\nDelete the table.\n\nThen rest.\n";

function stateWith(text: string, ...annotations: readonly PlanAnnotation[]): ReviewState {
  const plan = { plan: sent } as PlanState;
  return { ...useReview.getInitialState(), plan, document: parseMarkdown(text), annotations };
}

const annotationOn = (text: string, line: number): PlanAnnotation => ({
  id: `${line}`,
  type: "comment",
  text: "Sure?",
  createdAt: "",
  anchor: linesAnchor(parseMarkdown(text), line, line) as NonNullable<PlanAnnotation["anchor"]>,
});

describe("feedback on an edited plan", () => {
  it("uses line numbers of the plan that the agent has", () => {
    const feedback = composedFeedback(stateWith(edited, annotationOn(edited, 9)), "request-changes");
    expect(feedback).toContain("## 1. Comment on line 3\n\n```markdown\nDelete the table.\n```");
  });

  it("states that the text is the reviewer's own", () => {
    const feedback = composedFeedback(stateWith(edited, annotationOn(edited, 3)), "request-changes");
    expect(feedback).toContain("## 1. Comment on line 3 of the plan with my changes\n");
  });

  it("uses line numbers of the edited plan if the agent receives it", () => {
    const feedback = composedFeedback(stateWith(edited, annotationOn(edited, 9)), "approve");
    expect(feedback).toContain("## 1. Comment on line 9\n");
  });

  it("contains a patch that begins with its file names", () => {
    const feedback = composedFeedback(stateWith(edited), "request-changes");
    expect(feedback).toContain("```diff\n--- plan.md");
    expect(feedback).not.toMatch(/^(Index:|={3,})/m);
  });
});

describe("feedback on removed text", () => {
  it("quotes it and states its former position", () => {
    const anchor = removedAnchor(parseMarkdown(sent), sent.indexOf("Then"), "An old step.");
    const note: PlanAnnotation = { id: "1", type: "comment", text: "Keep it", createdAt: "", anchor };
    expect(composedFeedback(stateWith(sent, note), "request-changes")).toContain(
      "## 1. Comment on text removed near line 5\n\n```markdown\nAn old step.\n```\n\n> Keep it",
    );
  });
});

it("is shown without its standard introduction in a round", () => {
  const state = { ...stateWith(sent), note: "**Please** wait" };
  expect(withoutPreamble(composedFeedback(state, "request-changes"))).toBe("**Please** wait");
  expect(withoutPreamble("Their own words")).toBe("Their own words");
});
