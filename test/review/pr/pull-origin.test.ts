import { expect, it, onTestFinished, vi } from "vitest";
import type { PullRequest } from "../../../src/review/forges/forge.ts";
import { createPatchSession } from "../../../src/review/patch/patch-session.ts";
import { createPullOrigin, WHOLE_PULL } from "../../../src/review/pr/pull-origin.ts";
import { FakePull, PUSHED } from "../../support/forges/fake-pull.ts";

function openSession(fake: FakePull, onPull: (pull: PullRequest) => void = () => {}) {
  const origin = createPullOrigin({ forge: fake.forge, opened: fake.pull, clone: undefined, onPull });
  const session = createPatchSession(origin);
  onTestFinished(() => session.close());
  return session;
}

it("commits that were pushed are reviewed and posted to only after their diff is shown", async () => {
  const fake = new FakePull();
  const shown: string[] = [];
  const session = openSession(fake, ({ head }) => shown.push(head.sha));
  (await session.current()).release();
  fake.text = PUSHED;
  // The forge is asked for new commits once a minute.
  const { now } = performance;
  vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + 61_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await session.isOutdated()).toBe(true);
  expect(shown).toEqual([]);
  (await session.switchTo(WHOLE_PULL)).release();
  expect(shown).toEqual([fake.pull.head.sha]);
});

it("a diff that is the same with new commits is read again only once", async () => {
  const fake = new FakePull();
  const session = openSession(fake);
  (await session.current()).release();
  fake.text = PUSHED;
  (await session.switchTo(WHOLE_PULL)).release();
  expect(await session.isOutdated()).toBe(false);
  const { patches } = fake;
  expect(await session.isOutdated()).toBe(false);
  expect(fake.patches).toBe(patches);
});
