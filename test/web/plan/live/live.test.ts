import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanState } from "../../../../src/review/api-types.ts";

// The theme is read as soon as its module is loaded.
vi.stubGlobal("matchMedia", () => new EventTarget());
vi.stubGlobal("document", { querySelector: () => null });
afterAll(() => void vi.unstubAllGlobals());
const { showRound } = await import("../../../../web/plan/live/live.ts");
const { loadLive, receiveRound, showPendingRound, useThreads } = await import(
  "../../../../web/shared/threads/thread-store.ts"
);
const { editedPlan, useReview } = await import("../../../../web/plan/state/review-store.ts");

const caller = { name: "Claude Code", takesEditedPlan: false };
const live = { round: 1, agent: { state: "waiting" } };
const stateOf = (plan: string) => ({ planId: "plan-1", plan, caller, live }) as unknown as PlanState;

/** A focused field outside of a dialog. */
const field = { closest: (selector: string) => (selector === "dialog" ? null : field) };

/** Makes requests for the plan return a saved plan, after `onRequest`. */
function serve(onRequest: () => void): void {
  vi.stubGlobal("fetch", async (path: string) => {
    if (path !== "/api/plan") return Response.json({ rounds: [] });
    onRequest();
    return Response.json(stateOf("# Saved"));
  });
}

beforeEach(() => {
  useReview.setState(useReview.getInitialState(), true);
  useThreads.setState(useThreads.getInitialState(), true);
});

describe("a new round of a live plan", () => {
  it("shows the new text, which is no edit of the person at any time", async () => {
    useReview.setState({ plan: stateOf("# Plan"), document: parseMarkdown("# Plan") });
    const edits: (string | undefined)[] = [];
    serve(() => {});
    const stop = useReview.subscribe((state, before) => {
      if (state.rounds !== before.rounds) edits.push(editedPlan(state));
    });
    await showRound();
    stop();
    expect(edits).toEqual([undefined]);
    expect(useReview.getState().document.source).toBe("# Saved");
  });

  it("keeps what the person typed while it was loading", async () => {
    useReview.setState({ plan: stateOf("# Plan"), document: parseMarkdown("# Plan") });
    serve(() => useReview.setState({ typed: "# Plan, edited" }));
    await showRound();
    expect(editedPlan(useReview.getState())).toBe("# Plan, edited");
  });

  it.each([
    ["while the person reads", null],
    ["while the person writes", field],
  ])("is loaded again after it could not be loaded (%s)", async (_, activeElement) => {
    const agent = { name: "codex", state: "waiting" } as const;
    const waiting = { round: 1, agent };
    const document = {
      querySelector: () => null,
      activeElement,
      addEventListener() {},
      removeEventListener() {},
    };
    vi.stubGlobal("document", document);
    useReview.setState({ plan: { ...stateOf("# Plan"), round: 1 }, document: parseMarkdown("# Plan") });
    useThreads.setState({ live: waiting });
    let isBroken = true;
    vi.stubGlobal("fetch", async (path: string) => {
      if (path === "/api/live") return Response.json({ round: 2, agent });
      if (path !== "/api/plan") return Response.json({ rounds: [] });
      if (isBroken) throw new TypeError("Failed to fetch");
      return Response.json({ ...stateOf("# Saved"), round: 2 });
    });
    receiveRound(2, showRound);
    showPendingRound();
    await expect.poll(() => useThreads.getState()).toMatchObject({ live: waiting, news: undefined });
    expect(useReview.getState().plan?.round).toBe(1);
    isBroken = false;
    await loadLive(showRound);
    showPendingRound();
    await expect.poll(() => useThreads.getState().news).toMatchObject({ round: 2, isPending: false });
    expect(useThreads.getState().live?.round).toBe(2);
    expect(useReview.getState().plan?.round).toBe(2);
  });
});
