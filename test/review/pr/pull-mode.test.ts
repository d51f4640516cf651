import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/errors.ts";
import type { ForgeThread } from "../../../src/review/forges/forge.ts";
import { FakePull, PUSHED } from "../../support/forges/fake-pull.ts";
import { startPullReview } from "../../support/pull-review.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const remote = (members: Partial<ForgeThread> = {}, markdown = "Why?"): ForgeThread => ({
  id: "r_1",
  anchor: { kind: "lines", path: "a.txt", side: "new", lineStart: 3, lineEnd: 3 },
  outdated: false,
  resolved: false,
  takesMessages: true,
  messages: [{ id: "n_1", author: "vauban", at: "2026-10-01T12:00:00Z", markdown }],
  ...members,
});

describe("threads of a pull request", () => {
  it("are moved to the commits that were pushed since the earlier review", async () => {
    const folder = await temporaryFolder();
    const fake = new FakePull();
    fake.threads = [remote()];
    const { store, shown } = await startPullReview(fake, folder);
    expect(shown()).toMatchObject([{ anchor: { lineStart: 3, code: "two, changed" } }]);
    await store.write([{ op: "closed", reason: "interrupted" }]);
    fake.text = PUSHED;
    const next = await startPullReview(fake, folder, "review2");
    expect(next.shown()).toMatchObject([
      { anchor: { lineStart: 5, lineEnd: 5, code: "two, changed" }, outdated: false },
    ]);
  });

  it("state that a comment was deleted at the forge, and show it again if it is back", async () => {
    const fake = new FakePull();
    const reply = { id: "n_2", author: "ada", at: "2026-10-01T13:00:00Z", markdown: "Because." };
    const whole = remote({ messages: [...remote().messages, reply] });
    fake.threads = [whole];
    const { shown, refresh } = await startPullReview(fake, await temporaryFolder());
    const texts = () => shown().map(({ state, messages }) => [state, ...messages.map((one) => one.markdown)]);
    const deleted = "*This comment was deleted.*";
    fake.threads = [remote()];
    await refresh();
    expect(texts()).toEqual([["open", "Why?", deleted]]);
    fake.threads = [];
    await refresh();
    expect(texts()).toEqual([["resolved", deleted, deleted]]);
    fake.threads = [whole];
    await refresh();
    expect(texts()).toEqual([["open", "Why?", "Because."]]);
  });

  it("are outdated until the next diff if the diff cannot be read, which is noted", async () => {
    const folder = await temporaryFolder();
    const fake = new FakePull();
    fake.threads = [remote()];
    const { store } = await startPullReview(fake, folder);
    await store.write([{ op: "closed", reason: "interrupted" }]);
    fake.text = PUSHED;
    fake.failure = new AppError("forge_error", "Cannot connect to forge.test");
    const next = await startPullReview(fake, folder, "review2");
    expect(next.shown()).toMatchObject([{ anchor: { lineStart: 3 }, outdated: true }]);
    expect(next.notes[0]).toMatch(
      /^Cannot find the lines of earlier threads.*Cannot connect to forge\.test$/,
    );
    fake.failure = undefined;
    await next.refresh();
    expect(next.shown()).toMatchObject([{ anchor: { lineStart: 5, lineEnd: 5 }, outdated: false }]);
  });

  it("have the text to which its author has changed it at the forge", async () => {
    const fake = new FakePull();
    fake.threads = [remote({}, "Wyh?")];
    const { shown, refresh } = await startPullReview(fake, await temporaryFolder());
    fake.threads = [remote({}, "Why?")];
    await refresh();
    expect(shown().map(({ messages }) => messages.map(({ markdown }) => markdown))).toEqual([["Why?"]]);
  });

  it("stay outdated if the forge returns neither their code nor its neighbors", async () => {
    const fake = new FakePull();
    fake.threads = [remote({ outdated: true })];
    const { shown, refresh } = await startPullReview(fake, await temporaryFolder());
    fake.text = PUSHED;
    await refresh();
    expect(shown()).toMatchObject([{ anchor: { lineStart: 3, code: "" }, outdated: true }]);
  });

  it("are located in the next diff if they were read while a commit was shown", async () => {
    const fake = new FakePull();
    const { shown, refresh, switchTo } = await startPullReview(fake, await temporaryFolder());
    await switchTo(`commit:${"c".repeat(40)}`);
    fake.threads = [remote()];
    await refresh();
    expect(shown()).toMatchObject([{ outdated: true }]);
    await switchTo("pull-request");
    await refresh();
    expect(shown()).toMatchObject([{ anchor: { lineStart: 3, code: "two, changed" }, outdated: false }]);
  });

  it("do not prevent a refresh of the diff if the forge does not return them", async () => {
    const fake = new FakePull();
    const { app, refresh } = await startPullReview(fake, await temporaryFolder());
    fake.threads = new AppError("forge_rate_limited", "forge.test limits the rate of requests");
    await expect(refresh()).resolves.toBe(true);
    const { problems } = (await app.inject("/api/pr")).json();
    expect(problems).toEqual([expect.stringContaining("Cannot read the threads.")]);
  });
});

describe("a preview of a review", () => {
  it("is not posted after the diff of new commits is shown", async () => {
    const fake = new FakePull();
    const { app, refresh } = await startPullReview(fake, await temporaryFolder());
    const post = (path: string, payload: object) =>
      app.inject({
        method: "POST",
        url: `/api/pr/${path}`,
        headers: { origin: "http://localhost" },
        payload,
      });
    const preview = async () => (await post("preview", { verdict: "approve" })).json<{ preview: string }>();
    const old = await preview();
    fake.text = PUSHED;
    await refresh();
    const refused = await post("post", { preview: old.preview });
    expect(refused.json()).toMatchObject({
      message: "The pull request has new commits since the preview",
    });
    expect(fake.posted).toEqual([]);
    expect((await post("post", { preview: (await preview()).preview })).json()).toMatchObject({ ok: true });
    expect(fake.posted).toEqual([fake.pull.head.sha]);
  });
});

describe("a list that the forge cuts", () => {
  it("is named on the page and in the result", async () => {
    const fake = new FakePull();
    const problem = "GitHub lists only 250 of the 251 commits: the others are not shown.";
    fake.incomplete = [problem];
    const { app, mode } = await startPullReview(fake, await temporaryFolder());
    expect((await app.inject("/api/pr")).json().problems).toEqual([problem]);
    const { text, json } = mode.present({ kind: "feedback", annotations: [], text: "" });
    expect(text).toContain(problem);
    expect(json).toMatchObject({ incomplete: [problem] });
  });
});
