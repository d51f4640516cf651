import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { DiffSession } from "../../../src/review/diff-session.ts";
import type { ForgeThread } from "../../../src/review/forges/forge.ts";
import { createPullReview } from "../../../src/review/pr/pull-review.ts";
import { FakePull } from "../../support/forges/fake-pull.ts";
import { openPostedThread } from "../../support/posted-thread.ts";

it("a slow list of threads from before a post does not show the posted comment as deleted", async () => {
  const position = { path: "a.txt", side: "new", lineStart: 3, lineEnd: 3 } as const;
  const fake = new FakePull();
  const { store, pullStore } = await openPostedThread(fake.pull.url, position);
  const posted: ForgeThread = {
    id: "r_1",
    anchor: { kind: "lines", ...position },
    outdated: false,
    resolved: false,
    takesMessages: true,
    messages: [{ id: "n_1", author: "ada", at: "2026-10-01T12:00:00Z", markdown: "Why?" }],
  };
  const requests: ((threads: readonly ForgeThread[]) => void)[] = [];
  const review = createPullReview({
    forge: { ...fake.forge, threads: () => new Promise((resolve) => void requests.push(resolve)) },
    opened: fake.pull,
    diffs: { current: async () => ({ release() {} }) } as unknown as DiffSession,
    anchors: { locate: async () => Promise.reject(new Error("not located")) },
    threads: async () => store,
    openStore: async () => pullStore,
  });
  const [older, newer] = [review.reload(), review.reload()];
  await setImmediate();
  // Answers the newer request first, if it was sent.
  for (const respond of requests.splice(1)) {
    respond([posted]);
    await newer;
  }
  requests.shift()?.([]);
  await older;
  await setImmediate();
  for (const respond of requests) respond([posted]);
  await newer;
  const texts = [...store.log.threads.values()].flatMap(({ messages }) =>
    messages.map((one) => one.markdown),
  );
  expect(texts).toEqual(["Why?"]);
});
