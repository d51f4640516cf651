import { describe, expect, it } from "vitest";
import { createCooldowns } from "../../../src/proxy/routing/cooldowns.ts";
import { createKeyPolicy } from "../../../src/proxy/routing/key-policy.ts";
import { configOf } from "../../support/start-proxy.ts";

const upstream = configOf({
  upstreams: { a: { dialect: "messages", base_url: "http://x", api_keys: ["k1", "k2", "k3"] } },
}).upstreams.get("a");
if (!upstream) throw new Error("no upstream");
const target = { upstream, model: "m" };
const createPolicy = () => createKeyPolicy(createCooldowns());

describe("the key policy", () => {
  it("rotates through keys from call to call", () => {
    const policy = createPolicy();
    const firsts = [1, 2, 3, 4].map(() => policy.order(target, undefined)[0]);
    expect(firsts).toEqual(["k1", "k2", "k3", "k1"]);
  });

  it("rotates separately for each proxy in one process", () => {
    createPolicy().order(target, undefined);
    expect(createPolicy().order(target, undefined)).toEqual(["k1", "k2", "k3"]);
  });

  it("keeps one key for a session, whatever other sessions use, and falls back to the other keys", () => {
    const policy = createPolicy();
    const firstKeys = Array.from({ length: 30 }, (_, session) => {
      const orders = [1, 2, 3].map(() => policy.order(target, `session ${session}`));
      expect(new Set(orders.map((order) => order.join())).size).toBe(1);
      expect(orders[0]).toHaveLength(3);
      return orders[0]?.[0];
    });
    expect(new Set(firstKeys)).toEqual(new Set(["k1", "k2", "k3"]));
  });

  it("returns keys in cooldown last", () => {
    const cooldowns = createCooldowns();
    const policy = createKeyPolicy(cooldowns);
    cooldowns.record({ ...target, key: "k1" }, { kind: "refused", status: 429, headers: {} });
    for (const session of [undefined, "one", "two"]) expect(policy.order(target, session).at(-1)).toBe("k1");
  });
});
