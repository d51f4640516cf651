import { beforeEach, describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanAnnotation, PlanState } from "../../../../src/review/api-types.ts";
import { linesAnchor } from "../../../../web/plan/model/anchor.ts";
import {
  editAnnotation,
  removeAnnotation,
  saveComposer,
  startAnnotation,
  typeSource,
  undo,
  updateComposer,
} from "../../../../web/plan/state/actions.ts";
import { takeVersion } from "../../../../web/plan/state/history.ts";
import { mergeOtherTab, type SharedContent } from "../../../../web/plan/state/merge-tab.ts";
import { editedPlan, useReview } from "../../../../web/plan/state/review-store.ts";

const plan = "# Plan\n\nFirst words.\n\nLast words.\n";
const state = useReview.getState;

const annotation = (id: string, text: string): PlanAnnotation => ({
  id,
  type: "general",
  text,
  createdAt: `2026-01-01T00:00:00.${id.padStart(3, "0")}Z`,
});
const onLine = (id: string, line: number, source = plan): PlanAnnotation => {
  const anchor = linesAnchor(parseMarkdown(source), line, line);
  if (!anchor) throw new Error(`line ${line} is blank`);
  return { ...annotation(id, `On line ${line}`), type: "comment", anchor };
};
const draft = (...annotations: readonly PlanAnnotation[]): SharedContent => ({ annotations, note: "" });
/** Returns a copy of a draft as the network delivers it. */
const received = (content: SharedContent): SharedContent => JSON.parse(JSON.stringify(content));
const merge = (base: SharedContent, theirs: SharedContent) => mergeOtherTab(base, received(theirs));
const texts = () => state().annotations.map(({ text }) => text);

beforeEach(() => {
  while (takeVersion());
  const presented = { plan } as PlanState;
  useReview.setState({ ...useReview.getInitialState(), plan: presented, document: parseMarkdown(plan) });
});

describe("the comments of another tab", () => {
  it("are added, changed and deleted, and the own objects of others are kept", () => {
    const [a, b, c] = [annotation("1", "a"), annotation("2", "b"), annotation("3", "c")];
    useReview.setState({ annotations: [a, b, c] });
    const theirs = draft(a, annotation("2", "changed"), annotation("4", "new"));
    expect(merge(draft(a, b, c), theirs)).toEqual(theirs);
    expect(texts()).toEqual(["a", "changed", "new"]);
    expect(state().annotations[0]).toBe(a);
  });

  it("are found in the latest round of a live plan, which the other tab does not show yet", () => {
    const saved = `# Plan\n\nNew words.\n\nFirst words.\n\nLast words.\n`;
    const live = { plan: saved, live: { round: 2, agent: "waiting" } } as unknown as PlanState;
    useReview.setState({ plan: live, document: parseMarkdown(saved) });
    mergeOtherTab(undefined, received(draft(onLine("1", 3))));
    expect(state().annotations[0]?.anchor).toMatchObject({ startLine: 5, quote: "First words." });
  });

  it("remain after an undo, which reverts only what this tab has changed", () => {
    const [a, b] = [annotation("1", "a"), annotation("2", "b")];
    useReview.setState({ annotations: [a, b] });
    editAnnotation("1");
    updateComposer({ text: "a by me" });
    saveComposer();
    removeAnnotation("2");
    const base = draft(...state().annotations);
    merge(base, draft(...state().annotations, annotation("3", "theirs")));
    expect(texts()).toEqual(["a by me", "theirs"]);
    undo();
    expect(texts()).toEqual(["a by me", "b", "theirs"]);
    merge(draft(...state().annotations), draft(annotation("1", "a by me"), b));
    undo();
    expect(texts()).toEqual(["a", "b"]);
  });
});

describe("the comment that is being written during a merge", () => {
  const [a, theirs] = [annotation("1", "a"), annotation("1", "theirs")];

  beforeEach(() => useReview.setState({ annotations: [a] }));

  it("stays open", () => {
    startAnnotation("general");
    updateComposer({ text: "half a sen" });
    const { composer } = state();
    merge(draft(a), draft(a, annotation("2", "new")));
    expect(state().composer).toBe(composer);
  });

  it("becomes another comment if the other tab has changed or deleted the one that is edited", () => {
    editAnnotation("1");
    updateComposer({ text: "mine" });
    merge(draft(a), draft(theirs));
    saveComposer();
    expect(texts()).toEqual(["theirs", "mine"]);
    const [, mine] = state().annotations;
    if (!mine) throw new Error("no comment");
    editAnnotation(mine.id);
    updateComposer({ text: "mine again" });
    merge(draft(theirs, mine), draft(theirs));
    saveComposer();
    expect(texts()).toEqual(["theirs", "mine again"]);
  });

  it("shows the other tab's version if nothing was changed here, and closes if that is deleted", () => {
    editAnnotation("1");
    merge(draft(a), draft(theirs));
    expect(state().composer).toMatchObject({ editing: "1", text: "theirs" });
    merge(draft(theirs), draft());
    expect(state().composer).toBeUndefined();
  });

  it("closes if the other tab has saved the same comment", () => {
    startAnnotation("general");
    updateComposer({ text: "restored in both tabs " });
    merge(draft(a), draft(a, annotation("2", "restored in both tabs")));
    expect([state().composer, texts()]).toEqual([undefined, ["a", "restored in both tabs"]]);
  });
});

describe("the plan as another tab edits it", () => {
  const longer = `# Plan\n\nNew.\n\nFirst words.\n\nLast words.\n`;

  it("is shown, with the comments at their text while the other tab has their old positions", () => {
    const [first, last] = [onLine("1", 3), onLine("2", 5)];
    useReview.setState({ annotations: [first, last] });
    startAnnotation("comment", last.anchor);
    updateComposer({ text: "Why last?" });
    const base = draft(first, last);
    const next = merge(base, { ...base, edited: longer });
    expect(editedPlan(state())).toBe(longer);
    expect(state().annotations.map(({ anchor }) => anchor?.startLine)).toEqual([5, 7]);
    expect(state().composer).toMatchObject({ text: "Why last?", anchor: { startLine: 7 } });

    // The other tab saves another comment, then closes its editor, which updates its positions.
    const typing = draft(first, last, annotation("3", "theirs"));
    const after = merge(next, { ...typing, edited: longer });
    expect(state().annotations.map(({ anchor }) => anchor?.startLine)).toEqual([5, 7, undefined]);
    const [firstMoved, lastMoved] = [5, 7].map((line) => onLine("", line, longer).anchor);
    const done = draft(
      { ...first, anchor: firstMoved },
      { ...last, anchor: lastMoved },
      annotation("3", "theirs"),
    );
    merge(after, { ...done, edited: longer });
    expect(texts()).toEqual(["On line 3", "On line 5", "theirs"]);
    expect(state().annotations.map(({ anchor }) => anchor?.startLine)).toEqual([5, 7, undefined]);
  });

  it("is merged with what is typed in this tab", () => {
    typeSource(`${plan}\nTyped here.\n`);
    const theirs = { ...draft(), edited: longer };
    const base = merge(draft(), theirs);
    expect(editedPlan(state())).toBe(`${longer}\nTyped here.\n`);
    typeSource(`${longer}\nTyped here and there.\n`);
    merge(base, { ...theirs, edited: longer.replace("New.", "Newer.") });
    expect(editedPlan(state())).toBe(`${longer.replace("New.", "Newer.")}\nTyped here and there.\n`);
  });

  it("keeps both versions of a line that both tabs have changed", () => {
    typeSource(plan.replace("First", "Mine"));
    merge(draft(), { ...draft(), edited: plan.replace("First", "Theirs") });
    expect(editedPlan(state())).toBe("# Plan\n\nTheirs words.\nMine words.\n\nLast words.\n");
  });

  it("keeps the edits of this tab after the other tab has reverted its own", () => {
    useReview.setState({ document: parseMarkdown(longer) });
    typeSource(longer.replace("Last", "My last"));
    merge({ ...draft(), edited: longer }, draft());
    expect(editedPlan(state())).toBe(plan.replace("Last", "My last"));
  });

  it("is the plan again after its edits were reverted", () => {
    const base = { ...draft(), edited: longer };
    useReview.setState({ document: parseMarkdown(longer) });
    merge(base, draft());
    expect(editedPlan(state())).toBeUndefined();
  });
});

describe("the message to the agent", () => {
  it("is that of the tab that changed it, or both if both have", () => {
    useReview.setState({ note: "mine" });
    merge({ ...draft(), note: "mine" }, { ...draft(), note: "theirs" });
    expect(state().note).toBe("theirs");
    useReview.setState({ note: "mine again" });
    merge({ ...draft(), note: "theirs" }, { ...draft(), note: "more" });
    expect(state().note).toBe("more\n\nmine again");
  });
});
