import { describe, expect, it } from "vitest";
import { nextTry, planTries, type TryNeeds } from "../../../src/proxy/routing/attempts.ts";
import { createRests } from "../../../src/proxy/routing/cooldowns.ts";
import { upstreamFault } from "../../../src/proxy/upstream/upstream-errors.ts";
import type { RelayOutcome } from "../../../src/proxy/upstream/relay-task.ts";
import { configOf } from "../../support/start-proxy.ts";

function place(name: string, keys: string[]) {
  const settings = {
    dialect: "messages",
    base_url: "http://x",
    ...(keys.length > 0 ? { api_keys: keys } : {}),
  };
  const found = configOf({ upstreams: { [name]: settings } }).upstreams.get(name);
  if (!found) throw new Error("no upstream");
  return { upstream: found, model: "m" };
}

const refused = (status: number, headers: Record<string, string> = {}): RelayOutcome => ({
  kind: "refused",
  status,
  headers,
  body: Buffer.alloc(0),
  firstByteAt: 1,
});
const failed = (code: string): RelayOutcome => {
  const cause = Object.assign(new Error("x"), { code });
  return { kind: "failed", fault: upstreamFault(cause, "a", false), firstByteAt: 0 };
};
const needs = (headers: TryNeeds["headers"] = {}): TryNeeds => ({
  headers,
  rests: createRests(),
});
const still = () => 0;

describe("trying again", () => {
  it("takes keys in turn from call to call", () => {
    const one = place("a", ["k1", "k2", "k3"]);
    expect([1, 2, 3, 4].map(() => planTries([one], needs()).key)).toEqual(["k1", "k2", "k3", "k1"]);
  });

  it("goes on to the next key for 401, 402, 403 and 429, and through all of them", () => {
    for (const status of [401, 402, 403, 429]) {
      const first = planTries([place("a", ["k1", "k2"])], needs());
      const second = nextTry(first, refused(status), still);
      expect(second?.key).toBe("k2");
      expect(second && nextTry(second, refused(status), still)).toBeUndefined();
    }
  });

  it("goes on to the next upstream for failures of this one, not for the client's mistakes", () => {
    const plan = planTries([place("a", []), place("b", [])], needs());
    for (const outcome of [refused(500), refused(529), refused(401), failed("ECONNREFUSED")])
      expect(nextTry(plan, outcome, still)?.upstream.name).toBe("b");
    for (const outcome of [refused(400), refused(404), refused(413), refused(422)])
      expect(nextTry(plan, outcome, still)).toBeUndefined();
  });

  it("tries the same place twice more where connecting failed, and no more", () => {
    let plan = planTries([place("a", [])], needs());
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const next = nextTry(plan, failed("ECONNRESET"), still);
      if (!next) throw new Error("no other try");
      expect(next.delayMs).toBe(100 * (repeat + 1));
      plan = next;
    }
    expect(nextTry(plan, failed("ECONNRESET"), still)).toBeUndefined();
    expect(
      nextTry(planTries([place("a", [])], needs()), failed("UND_ERR_HEADERS_TIMEOUT"), still),
    ).toBeUndefined();
  });

  it("goes elsewhere, and not to the same place again, where some of an answer came", () => {
    const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
    const cut = { kind: "failed", fault: upstreamFault(cause, "a", true), firstByteAt: 1 } as const;
    expect(nextTry(planTries([place("a", [])], needs()), cut, still)).toBeUndefined();
    expect(nextTry(planTries([place("a", []), place("b", [])], needs()), cut, still)?.upstream.name).toBe(
      "b",
    );
    const whole = upstreamFault(cause, "a", false);
    const dropped = { kind: "failed", fault: whole, firstByteAt: 0 } as const;
    expect(nextTry(planTries([place("a", [])], needs()), dropped, still)?.upstream.name).toBe("a");
  });

  it("never tries again once the client was sent something, or has gone", () => {
    const plan = planTries([place("a", []), place("b", [])], needs());
    expect(nextTry(plan, { kind: "gone" }, still)).toBeUndefined();
    expect(nextTry(plan, { kind: "broken" }, still)).toBeUndefined();
    expect(nextTry(plan, { kind: "answered" }, still)).toBeUndefined();
  });

  it("keeps a session to one key, whatever others do, and has its others in reserve", () => {
    const one = place("a", ["k1", "k2", "k3"]);
    const firstKeys = Array.from({ length: 30 }, (_, session) => {
      const headers = { "x-claude-code-session-id": `session ${session}` };
      const plans = [1, 2, 3].map(() => planTries([one], needs(headers)));
      expect(new Set(plans.map(({ key, otherKeys }) => [key, ...otherKeys].join()))).toHaveProperty(
        "size",
        1,
      );
      expect(plans[0]?.otherKeys).toHaveLength(2);
      return plans[0]?.key;
    });
    expect(new Set(firstKeys)).toEqual(new Set(["k1", "k2", "k3"]));
  });

  it("asks a key that rests after the others", () => {
    const one = place("a", ["k1", "k2"]);
    const plan = needs();
    plan.rests.learn({ ...one, key: "k1" }, refused(429));
    for (const _ of [1, 2]) expect(planTries([one], plan)).toMatchObject({ key: "k2", otherKeys: ["k1"] });
  });

  it("waits where it is asked for twenty seconds, and hands longer wishes on", () => {
    const plan = () => planTries([place("a", [])], needs());
    expect(nextTry(plan(), refused(503, { "retry-after": "20" }), still)?.delayMs).toBe(20_100);
    expect(nextTry(plan(), refused(503, { "retry-after": "21" }), still)).toBeUndefined();
    expect(nextTry(plan(), refused(503), still)).toBeUndefined();
  });
});
