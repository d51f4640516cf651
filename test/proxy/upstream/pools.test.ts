import { expect, it } from "vitest";
import { createPools } from "../../../src/proxy/upstream/pools.ts";

it("pools of one origin with different connect timeouts are kept separately", async () => {
  const pools = createPools();
  const [patient, hasty] = [pools.get("http://127.0.0.1:9", 10_000), pools.get("http://127.0.0.1:9", 500)];
  expect(pools.get("http://127.0.0.1:9", 10_000)).toBe(patient);
  expect(pools.get("http://127.0.0.1:9", 500)).toBe(hasty);
  expect([patient.closed, hasty.closed]).toEqual([false, false]);
  await pools.destroy();
  expect([patient.destroyed, hasty.destroyed]).toEqual([true, true]);
});

it("pools that no upstream uses are closed, and no others", async () => {
  const pools = createPools();
  const kept = pools.get("http://127.0.0.1:9", 1_000);
  const left = [pools.get("http://127.0.0.1:10", 1_000), pools.get("http://127.0.0.1:9", 500)];
  pools.keepOnly([{ origin: "http://127.0.0.1:9", connectMs: 1_000 }]);
  expect([kept, ...left].map(({ closed }) => closed)).toEqual([false, true, true]);
  expect(pools.get("http://127.0.0.1:9", 1_000)).toBe(kept);
  const again = pools.get("http://127.0.0.1:9", 500);
  expect([again === left[1], again.closed]).toEqual([false, false]);
  await pools.destroy();
});
