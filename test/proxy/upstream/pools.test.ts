import { expect, it } from "vitest";
import { createPools } from "../../../src/proxy/upstream/pools.ts";

it("keeps the connections of upstreams at one origin that wait differently long for one", async () => {
  const pools = createPools();
  const [patient, hasty] = [pools.get("http://127.0.0.1:9", 10_000), pools.get("http://127.0.0.1:9", 500)];
  expect(pools.get("http://127.0.0.1:9", 10_000)).toBe(patient);
  expect(pools.get("http://127.0.0.1:9", 500)).toBe(hasty);
  expect([patient.closed, hasty.closed]).toEqual([false, false]);
  await pools.destroy();
  expect([patient.destroyed, hasty.destroyed]).toEqual([true, true]);
});

it("lets go of origins that no upstream is at any more, and of no others", async () => {
  const pools = createPools();
  const [kept, left] = [pools.get("http://127.0.0.1:9", 1_000), pools.get("http://127.0.0.1:10", 1_000)];
  pools.keepOnly(new Set(["http://127.0.0.1:9"]));
  expect([kept.closed, left.closed]).toEqual([false, true]);
  await pools.destroy();
});
