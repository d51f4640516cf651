import { beforeEach, expect, it, vi } from "vitest";
import type { DiffIndex } from "../../../../src/review/api-types.ts";
import { prepareCodePage } from "../../../support/code-page-modules.ts";

prepareCodePage({ document: { querySelector: () => null, activeElement: null } });
const { showRound } = await import("../../../../web/code/state/live.ts");
const { loadDiff, useSession } = await import("../../../../web/code/state/session.ts");
const { loadLive, receiveRound, useThreads } = await import("../../../../web/shared/threads/thread-store.ts");

beforeEach(() => {
  useSession.setState(useSession.getInitialState(), true);
  useThreads.setState(useThreads.getInitialState(), true);
});

it("a round whose diff could not be loaded is loaded again", async () => {
  const agent = { name: "codex", state: "working" } as const;
  let round = 1;
  let isBroken = false;
  vi.stubGlobal("fetch", async (url: string) => {
    if (url === "/api/live") return Response.json({ round, agent });
    if (isBroken) throw new TypeError("Failed to fetch");
    const index = { diffId: `d${round}`, reviewId: "code-1", files: [], opening: [], live: { round, agent } };
    return Response.json(index as unknown as DiffIndex);
  });
  await loadDiff(true);
  round = 2;
  isBroken = true;
  receiveRound(2, showRound);
  await expect.poll(() => useThreads.getState().live?.round).toBe(1);
  expect(useThreads.getState().news).toBeUndefined();
  isBroken = false;
  await loadLive(showRound);
  await expect.poll(() => useThreads.getState().news).toMatchObject({ summary: "The diff was reloaded" });
  expect(useSession.getState().index?.live?.round).toBe(2);
});
