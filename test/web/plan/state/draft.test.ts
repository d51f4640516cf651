import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanState } from "../../../../src/review/api-types.ts";
import { linesAnchor } from "../../../../web/plan/model/anchor.ts";
import { setRewritten } from "../../../../web/plan/state/actions.ts";
import { startDraft } from "../../../../web/plan/state/draft.ts";
import { useReview } from "../../../../web/plan/state/review-store.ts";

const rewritten = { annotations: [], note: "", rewritten: "Stored feedback" };
const emptyComposer = { type: "comment", text: "Open", replacement: "", images: [] };
let content: object = rewritten;
const plan = { sessionId: "session-1", planId: "plan-1", plan: "# Plan" } as PlanState;
let respond = () => {};

beforeEach(() => {
  content = rewritten;
  useReview.setState({ ...useReview.getInitialState(), phase: "review", plan }, true);
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {} });
  const mayRespond = new Promise<void>((resolve) => {
    respond = resolve;
  });
  vi.stubGlobal("fetch", async () => {
    await mayRespond;
    return Response.json({ generation: 1, content, savedAt: "2026-01-01T00:00:00Z" });
  });
});
afterEach(() => {
  // Ends the saving.
  useReview.setState({ phase: "done" });
  useReview.setState(useReview.getInitialState(), true);
  vi.unstubAllGlobals();
});

describe("a draft with edited feedback", () => {
  it("restores the feedback", async () => {
    const started = startDraft(plan);
    respond();
    await started;
    expect(useReview.getState().rewritten).toBe("Stored feedback");
  });

  it("keeps the feedback that was edited while the draft was loading", async () => {
    const started = startDraft(plan);
    setRewritten("Edited since");
    respond();
    await started;
    expect(useReview.getState().rewritten).toBe("Edited since");
  });
});

describe("the draft of a live plan", () => {
  it("has its comments at their text after the file was saved while no page was open", async () => {
    const before = "# Plan\n\nFirst words.\n\nLast words.\n";
    const saved = `# Plan\n\nNew words.\n\n${before.slice(8)}`;
    const anchor = linesAnchor(parseMarkdown(before), 5, 5);
    if (!anchor) throw new Error("line 5 is blank");
    const comment = { id: "1", type: "comment", text: "Why?", createdAt: "", anchor } as const;
    content = { annotations: [comment], note: "", composer: { ...emptyComposer, anchor } };
    const live = { ...plan, plan: saved, live: { round: 2, agent: "waiting" } } as unknown as PlanState;
    useReview.setState({ plan: live, document: parseMarkdown(saved) });
    const started = startDraft(live);
    respond();
    await started;
    const { annotations, composer } = useReview.getState();
    expect(annotations[0]?.anchor).toMatchObject({ startLine: 7, quote: "Last words." });
    expect(saved.slice(annotations[0]?.anchor?.start, annotations[0]?.anchor?.end)).toBe("Last words.");
    expect(composer?.anchor?.startLine).toBe(7);
  });
});
