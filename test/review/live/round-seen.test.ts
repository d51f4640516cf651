import { describe, expect, it, vi } from "vitest";
import { codeServer } from "../../support/code-server.ts";
import { PLAN, planServer } from "../../support/plan-server.ts";
import { testRepository } from "../../support/test-repository.ts";

const PAGE = { host: "localhost", origin: "http://localhost" };

/** A live review of a plan in its first round. `save` saves the plan's file; the regular check does not run. */
async function openLive() {
  let hasSave = false;
  const { app, context } = await planServer({
    async reload() {
      const before = hasSave ? PLAN : undefined;
      hasSave = false;
      return before;
    },
  });
  const live = await context.threads.goLive({ agent: "", firstRound: 1, idle: 3_600, onIdle: () => {} });
  const post = async (url: string, payload: object) => {
    const response = await app.inject({ method: "POST", url, headers: PAGE, payload });
    return { status: response.statusCode, error: response.json<{ error?: string }>().error };
  };
  const save = () => {
    hasSave = true;
  };
  return { live, post, save };
}

describe("an approval of a live review", () => {
  it("is rejected if it names an earlier round than the newest, and accepted for the newest", async () => {
    const { live, post } = await openLive();
    await live.nextRound(async () => true);
    const rejected = await post("/api/finish", { approved: true, feedback: "Kept.", round: 1 });
    expect(rejected).toEqual({ status: 409, error: expect.stringContaining("Round 2 has arrived") });
    expect(live.isClosed).toBe(false);
    expect(live.store.log.batches).toEqual([]);
    expect((await post("/api/finish", { approved: true, feedback: "Kept.", round: 2 })).status).toBe(200);
    expect(live.store.log.batches).toMatchObject([{ event: "approved", round: 2, feedback: "Kept." }]);
  });

  it("is rejected if the plan's file was saved since the last check", async () => {
    const { live, post, save } = await openLive();
    save();
    expect((await post("/api/finish", { approved: true, round: 1 })).status).toBe(409);
    expect(live.state.round).toBe(2);
    expect((await post("/api/finish", { approved: true, round: 2 })).status).toBe(200);
  });

  it("is accepted without a round, as is the end without an approval", async () => {
    for (const body of [{ approved: true }, { approved: false, round: 1 }]) {
      const { live, post } = await openLive();
      await live.nextRound(async () => true);
      expect((await post("/api/finish", body)).status).toBe(200);
    }
  });
});

describe("a comment of a live review", () => {
  it("is rejected if its anchor refers to an earlier round than the newest", async () => {
    const { live, post } = await openLive();
    await live.nextRound(async () => true);
    const comment = { anchor: { kind: "plan", start: 0, end: 5 }, type: "comment", markdown: "Why?" };
    expect((await post("/api/threads", { ...comment, round: 1 })).status).toBe(409);
    expect(live.store.log.threads.size).toBe(0);
    expect((await post("/api/threads", { ...comment, round: 2 })).status).toBe(200);
    expect((await post("/api/threads", comment)).status).toBe(200);
  });
});

describe("the index of a live diff", () => {
  it("names the round of its diff if the next round begins before the response", async () => {
    const repository = await testRepository({ "a.txt": "one\n" });
    await repository.write({ "a.txt": "two\n" });
    const { context, get } = await codeServer(repository);
    const live = await context.threads.goLive({ agent: "", firstRound: 1, idle: 3_600, onIdle: () => {} });
    const first = (await get("/api/diff/index")).json();
    await repository.write({ "a.txt": "three\n" });
    const read = context.settings.read.bind(context.settings);
    vi.spyOn(context.settings, "read").mockImplementationOnce(async () => {
      await live.nextRound((onTaken) => context.mode.refresh(context, onTaken));
      return read();
    });
    const during = (await get("/api/diff/index")).json();
    expect(during).toMatchObject({ diffId: first.diffId, live: { round: 1 } });
    const next = (await get("/api/diff/index")).json();
    expect(next.diffId).not.toBe(first.diffId);
    expect(next.live.round).toBe(2);
  });
});
