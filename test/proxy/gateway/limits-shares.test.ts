import { expect, it } from "vitest";
import type { Subject } from "../../../src/config/proxy/limits.ts";
import { Shares } from "../../../src/proxy/gateway/limits-shares.ts";

const subject = (id: string): Subject => ({
  id,
  label: id,
  limits: { budgets: [{ usd: 24, period: "total" }] },
});

it("do not grow when Redis lists fewer replicas than before, until Redis counts again", async () => {
  let replicas = 8;
  const shares = new Shares(() => replicas, undefined);
  const amountOf = (id: string) => shares.getShare(subject(id)).limits.budgets?.[0]?.usd;
  await shares.begin();
  expect(amountOf("key:a")).toBe(3);
  // Redis is reachable again without its data, and two other replicas have reconnected.
  replicas = 3;
  expect([amountOf("key:a"), amountOf("key:b")]).toEqual([3, 3]);
  shares.end();
  expect(amountOf("key:b")).toBe(8);
  shares.close();
});
