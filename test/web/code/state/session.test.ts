import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { DiffIndex } from "../../../../src/review/api-types.ts";
import { prepareCodePage } from "../../../support/code-page-modules.ts";

prepareCodePage();
const { handleServerChange, loadDiff, loadFileText, useSession } = await import(
  "../../../../web/code/state/session.ts"
);

const { receiveRound, useThreads } = await import("../../../../web/shared/threads/thread-store.ts");

beforeEach(() => {
  useSession.setState(useSession.getInitialState(), true);
  useThreads.setState(useThreads.getInitialState(), true);
});
afterEach(() => void vi.unstubAllGlobals());

it("the text of a file is requested for the shown diff, which is stale if another tab has switched the diff", async () => {
  const requested: string[] = [];
  const index = { diffId: "d1", reviewId: "code-1", files: [], opening: [] } as unknown as DiffIndex;
  vi.stubGlobal("fetch", async (url: string) => {
    requested.push(url);
    if (url.startsWith("/api/diff/index")) return Response.json(index);
    return Response.json({ error: "The diff has changed. Load its index again." }, { status: 409 });
  });
  await loadDiff(false);
  expect(useSession.getState().stale).toBe(false);
  expect(await loadFileText("src/a b.ts", "new")).toMatchObject({ reason: "refused", status: 409 });
  expect(requested.at(-1)).toBe("/api/file?path=src%2Fa%20b.ts&side=new&id=d1&w=1");
  expect(useSession.getState().stale).toBe(true);
});

it("subscribers of the diff read its query", async () => {
  const index = { diffId: "d1", reviewId: "code-1", files: [], opening: [] };
  vi.stubGlobal("fetch", async () => Response.json(index));
  const queries: string[] = [];
  onTestFinished(
    useSession.subscribe((state, before) => {
      if (state.index !== before.index) queries.push(useSession.getState().diffQuery);
    }),
  );
  await loadDiff(false);
  index.diffId = "d2";
  await loadDiff(true);
  expect(queries).toEqual(["id=d1&w=1", "id=d2"]);
});

it("a page follows the rounds of the next live review at its address, which begin at 1 again", async () => {
  const index = { diffId: "d1", reviewId: "code-1", files: [], opening: [] };
  const agent = { name: "codex", state: "working" };
  const serve = (sessionId: string, round: number) =>
    vi.stubGlobal("fetch", async () => Response.json({ ...index, sessionId, live: { round, agent } }));
  vi.stubGlobal("document", { querySelector: () => null, activeElement: null });
  serve("session-1", 5);
  await loadDiff(true);
  serve("session-2", 1);
  await handleServerChange("session-2");
  expect(useThreads.getState().live?.round).toBe(1);
  let isShown = false;
  receiveRound(2, async () => {
    isShown = true;
    return "1 file changed";
  });
  expect(isShown).toBe(true);
});
