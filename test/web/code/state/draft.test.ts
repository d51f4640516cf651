import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { DiffIndex } from "../../../../src/review/api-types.ts";
import { prepareCodePage } from "../../../support/code-page-modules.ts";

prepareCodePage();
const { useComments } = await import("../../../../web/code/state/comments.ts");
const { startDraft, stopDraft, useDraft } = await import("../../../../web/code/state/draft.ts");

const index = { sessionId: "session-1", reviewId: "code-1" } as DiffIndex;
const comment = {
  id: "1",
  type: "comment",
  text: "Why?",
  images: [],
  createdAt: "2026-01-01T00:00:00Z",
  diff: { type: "uncommitted", label: "Uncommitted changes" },
} as const;

/** Receives the events of the window. */
let target: EventTarget;
let canSave = true;
let damaged: string | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  canSave = true;
  damaged = undefined;
  target = new EventTarget();
  vi.stubGlobal("addEventListener", target.addEventListener.bind(target));
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {} });
  vi.stubGlobal("fetch", async (_url: string, { method = "GET" }: RequestInit = {}) => {
    if (method === "GET") return Response.json({ generation: 0, content: null, savedAt: "", damaged });
    if (!canSave) return Response.json({ error: "No space left" }, { status: 500 });
    return Response.json({ generation: 1, savedAt: "2026-01-01T00:00:00Z" });
  });
});
afterEach(() => {
  stopDraft();
  useComments.setState(useComments.getInitialState(), true);
  useDraft.setState(useDraft.getInitialState(), true);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Leaves the page. Returns whether the browser asks for confirmation. */
function leave(): boolean {
  return !target.dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

async function writeComment(): Promise<void> {
  useComments.setState({ comments: [comment] });
  await vi.advanceTimersByTimeAsync(500);
}

it("asks for confirmation before the page is left with comments that cannot be saved", async () => {
  await startDraft(index);
  await writeComment();
  expect(useDraft.getState().status.state).toBe("saved");
  expect(leave()).toBe(false);
  canSave = false;
  useComments.setState({ comments: [{ ...comment, text: "Why not?" }] });
  await vi.advanceTimersByTimeAsync(500);
  expect(useDraft.getState().status.state).toBe("failing");
  expect(leave()).toBe(true);
  stopDraft();
  expect(leave()).toBe(false);
});

it("reports a stored draft that cannot be read", async () => {
  damaged = "/data/drafts/code-1.damaged";
  await startDraft(index);
  expect(useDraft.getState().damaged).toBe(damaged);
});
