import { expect, it } from "vitest";
import { oneAtATime } from "../../../../src/cli/proxy/start/reload-configuration.ts";

it("runs once more for any number of requests meanwhile, and never twice at once", async () => {
  const ends: (() => void)[] = [];
  const ask = oneAtATime(() => new Promise((resolve) => void ends.push(resolve)));
  const asked = [ask(), ask(), ask()];
  expect(ends.length).toBe(1);
  ends[0]?.();
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  await Promise.all(asked);
  expect(ends.length).toBe(2);
  const later = ask();
  expect(ends.length).toBe(3);
  ends[2]?.();
  await later;
});
