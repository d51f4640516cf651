import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanState } from "../../../../src/review/api-types.ts";

// The theme is read as soon as its module is loaded.
vi.stubGlobal("matchMedia", () => new EventTarget());
vi.stubGlobal("document", { querySelector: () => null });
afterAll(() => void vi.unstubAllGlobals());
const { forLive, handleServerChange } = await import("../../../../web/plan/state/load.ts");
const { useThreads } = await import("../../../../web/shared/threads/thread-store.ts");
const { editedPlan, useReview } = await import("../../../../web/plan/state/review-store.ts");

const caller = { name: "Claude Code", takesEditedPlan: true };
const live = { round: 1, agent: { state: "waiting" } };

function stateOf(sessionId: string, more: object = {}): PlanState {
  return { planId: "plan-1", sessionId, plan: "# Plan", caller, ...more } as unknown as PlanState;
}

/** Makes every request return the plan of the server that now runs at this address. */
function serve(plan: PlanState): void {
  vi.stubGlobal("fetch", async () => Response.json(plan));
}

afterEach(() => {
  useReview.setState(useReview.getInitialState(), true);
  useThreads.setState(useThreads.getInitialState(), true);
});

describe("a page whose server has changed", () => {
  it("does not offer to send an edited plan in a live review", async () => {
    useReview.setState({ plan: forLive(stateOf("session-1", { live })) });
    serve(stateOf("session-2", { live }));
    await handleServerChange("session-2");
    expect(useReview.getState().plan).toMatchObject({
      sessionId: "session-2",
      caller: { takesEditedPlan: false },
    });
  });

  it("still offers it in a one-shot review", async () => {
    useReview.setState({ plan: forLive(stateOf("session-1")) });
    serve(stateOf("session-2"));
    await handleServerChange("session-2");
    expect(useReview.getState().plan).toMatchObject({
      sessionId: "session-2",
      caller: { takesEditedPlan: true },
    });
  });

  it("has the round and the agent of the new server", async () => {
    useReview.setState({ plan: stateOf("session-1", { live }) });
    useThreads.setState({ live: { round: 5, agent: { name: "codex", state: "gone" } } });
    const now = { round: 2, agent: { name: "", state: "none" } };
    serve(stateOf("session-2", { live: now }));
    await handleServerChange("session-2");
    expect(useThreads.getState().live).toEqual(now);
  });

  it("shows the new text of a live plan whose file was saved in the meantime", async () => {
    useReview.setState({ plan: stateOf("session-1", { live }), document: parseMarkdown("# Plan") });
    serve(stateOf("session-2", { live, plan: "# Saved" }));
    await handleServerChange("session-2");
    expect(useReview.getState().document.source).toBe("# Saved");
    expect(editedPlan(useReview.getState())).toBeUndefined();
  });

  it("keeps the person's edit of a live plan whose file was saved in the meantime", async () => {
    useReview.setState({
      plan: stateOf("session-1", { live }),
      document: parseMarkdown("# Plan"),
      typed: "# Edited",
    });
    serve(stateOf("session-2", { live, plan: "# Saved" }));
    await handleServerChange("session-2");
    expect(editedPlan(useReview.getState())).toBe("# Edited");
  });

  it("reports that another plan is under review", async () => {
    useReview.setState({ plan: stateOf("session-1") });
    serve(stateOf("session-2", { planId: "plan-2" }));
    await handleServerChange("session-2");
    expect(useReview.getState()).toMatchObject({ isReplaced: true, plan: { sessionId: "session-1" } });
  });
});
