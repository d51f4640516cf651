import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PlanState } from "../../../../src/review/api-types.ts";
import { setRewritten } from "../../../../web/plan/state/actions.ts";
import { startDraft } from "../../../../web/plan/state/draft.ts";
import { useReview } from "../../../../web/plan/state/review-store.ts";

const content = { annotations: [], note: "", rewritten: "Stored feedback" };
const plan = { sessionId: "session-1", planId: "plan-1", plan: "# Plan" } as PlanState;
let respond = () => {};

beforeEach(() => {
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
