import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanState } from "../../../../src/review/api-types.ts";
import { linesAnchor } from "../../../../web/plan/model/anchor.ts";
import { followDraft, startDraft } from "../../../../web/plan/state/draft.ts";
import { setRewritten } from "../../../../web/plan/state/edited-feedback.ts";
import { getFeedback } from "../../../../web/plan/state/plan-feedback.ts";
import { useReview } from "../../../../web/plan/state/review-store.ts";

const rewritten = { annotations: [], note: "", rewritten: "Stored feedback" };
const emptyComposer = { type: "comment", text: "Open", replacement: "", images: [] };
let content: object = rewritten;
let generation = 1;
/** The contents that the page has saved. */
let saved: { readonly rewritten?: string }[] = [];
const plan = { sessionId: "session-1", planId: "plan-1", plan: "# Plan" } as PlanState;
let respond = () => {};

beforeEach(() => {
  content = rewritten;
  generation = 1;
  saved = [];
  useReview.setState({ ...useReview.getInitialState(), phase: "review", plan }, true);
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("document", Object.assign(new EventTarget(), { querySelector: () => null }));
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {} });
  const mayRespond = new Promise<void>((resolve) => {
    respond = resolve;
  });
  vi.stubGlobal("fetch", async (_url: string, { method, body }: RequestInit = {}) => {
    await mayRespond;
    if (method === "PUT") {
      const sent = JSON.parse(String(body)) as { generation: number; content: { rewritten?: string } };
      saved.push(sent.content);
      generation = sent.generation;
    }
    return Response.json({ generation, content, savedAt: "2026-01-01T00:00:00Z" });
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

describe("the draft of two tabs", () => {
  it("is saved again if this tab keeps edits of the feedback that the other tab has discarded", async () => {
    const first = { id: "1", type: "general", text: "Dig deeper.", createdAt: "1" } as const;
    const second = { ...first, id: "2", text: "Dig wider.", createdAt: "2" };
    useReview.setState({ document: parseMarkdown(plan.plan), annotations: [first] });
    const composed = getFeedback(useReview.getState(), "request-changes");
    useReview.setState({ annotations: [] });
    content = { annotations: [first], note: "", rewritten: composed.replace("deeper", "deeper, please") };
    const started = startDraft(plan);
    respond();
    await started;
    [content, generation] = [{ annotations: [first, second], note: "", session: "session-1" }, 2];
    await followDraft(2);
    expect(useReview.getState().rewritten).toMatch(/deeper, please[\s\S]*Dig wider/);
    await vi.waitFor(() => expect(saved.at(-1)?.rewritten).toBe(useReview.getState().rewritten), 10_000);
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
