import { describe, expect, it } from "vitest";
import { firstAttempt, nextAttempt } from "../../../src/proxy/routing/attempts.ts";
import type { Target } from "../../../src/proxy/routing/select-targets.ts";
import type { RelayOutcome } from "../../../src/proxy/upstream/relay-task.ts";
import { toUpstreamError } from "../../../src/proxy/upstream/upstream-errors.ts";
import { configOf } from "../../support/start-proxy.ts";

function target(name: string, keys: string[]) {
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
  return { kind: "failed", error: toUpstreamError(cause, "a", false), firstByteAt: 0 };
};
const keysInOrder = ({ upstream }: Target) => upstream.keys;
const begin = (...targets: [Target, ...Target[]]) => firstAttempt(targets, keysInOrder);
const still = () => 0;

describe("attempts of a call", () => {
  it("continue with the next key after 401, 402, 403 and 429, through all keys", () => {
    for (const status of [401, 402, 403, 429]) {
      const first = begin(target("a", ["k1", "k2"]));
      const second = nextAttempt(first, refused(status), still);
      expect(second?.key).toBe("k2");
      expect(second && nextAttempt(second, refused(status), still)).toBeUndefined();
    }
  });

  it("continue with the next upstream after an upstream's failures, not after errors of the client", () => {
    const plan = begin(target("a", []), target("b", []));
    for (const outcome of [refused(500), refused(529), refused(401), failed("ECONNREFUSED")])
      expect(nextAttempt(plan, outcome, still)?.upstream.name).toBe("b");
    for (const outcome of [refused(400), refused(404), refused(413), refused(422)])
      expect(nextAttempt(plan, outcome, still)).toBeUndefined();
  });

  it("try the same target twice more if connecting failed", () => {
    let plan = begin(target("a", []));
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const next = nextAttempt(plan, failed("ECONNRESET"), still);
      if (!next) throw new Error("no other attempt");
      expect(next.delayMs).toBe(100 * (repeat + 1));
      plan = next;
    }
    expect(nextAttempt(plan, failed("ECONNRESET"), still)).toBeUndefined();
    expect(nextAttempt(begin(target("a", [])), failed("UND_ERR_HEADERS_TIMEOUT"), still)).toBeUndefined();
  });

  it("continue at another target, not at the same one, if part of a response arrived", () => {
    const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
    const cut = { kind: "failed", error: toUpstreamError(cause, "a", true), firstByteAt: 1 } as const;
    expect(nextAttempt(begin(target("a", [])), cut, still)).toBeUndefined();
    expect(nextAttempt(begin(target("a", []), target("b", [])), cut, still)?.upstream.name).toBe("b");
    const whole = toUpstreamError(cause, "a", false);
    const dropped = { kind: "failed", error: whole, firstByteAt: 0 } as const;
    expect(nextAttempt(begin(target("a", [])), dropped, still)?.upstream.name).toBe("a");
  });

  it("end once the client has received data or has disconnected", () => {
    const plan = begin(target("a", []), target("b", []));
    expect(nextAttempt(plan, { kind: "disconnected" }, still)).toBeUndefined();
    expect(
      nextAttempt(plan, { kind: "broken", error: toUpstreamError(new Error("x"), "a", true) }, still),
    ).toBeUndefined();
    expect(nextAttempt(plan, { kind: "completed" }, still)).toBeUndefined();
  });

  it("wait for a retry-after of up to twenty seconds, and return a longer one to the client", () => {
    const plan = () => begin(target("a", []));
    expect(nextAttempt(plan(), refused(503, { "retry-after": "20" }), still)?.delayMs).toBe(20_100);
    expect(nextAttempt(plan(), refused(503, { "retry-after": "21" }), still)).toBeUndefined();
    expect(nextAttempt(plan(), refused(503), still)).toBeUndefined();
  });

  it("end after x-should-retry: false, except that the next key is tried after a rejected key", () => {
    const final = { "x-should-retry": "false", "retry-after": "1" };
    for (const status of [429, 500, 502, 503, 529]) {
      expect(nextAttempt(begin(target("a", [])), refused(status, final), still)).toBeUndefined();
      const two = begin(target("a", []), target("b", []));
      expect(nextAttempt(two, refused(status, final), still)).toBeUndefined();
    }
    for (const status of [401, 402, 403, 429])
      expect(nextAttempt(begin(target("a", ["k1", "k2"])), refused(status, final), still)?.key).toBe("k2");
    const other = nextAttempt(begin(target("a", []), target("b", [])), refused(401, final), still);
    expect(other?.upstream.name).toBe("b");
  });

  it("try the same target twice more after x-should-retry: true, whatever the status", () => {
    const again = { "x-should-retry": "true" };
    for (const status of [400, 408, 409, 500, 529]) {
      const second = nextAttempt(begin(target("a", [])), refused(status, again), still);
      expect(second?.delayMs).toBe(100);
      const third = second && nextAttempt(second, refused(status, { ...again, "retry-after": "3" }), still);
      expect(third?.delayMs).toBe(3_200);
      expect(third && nextAttempt(third, refused(status, again), still)).toBeUndefined();
    }
    const slow = refused(500, { ...again, "retry-after": "21" });
    expect(nextAttempt(begin(target("a", [])), slow, still)).toBeUndefined();
    expect(
      nextAttempt(begin(target("a", [])), refused(500, { "x-should-retry": "maybe" }), still),
    ).toBeUndefined();
  });
});
