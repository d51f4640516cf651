import { describe, expect, it } from "vitest";
import { upstreamFault } from "../../../src/proxy/upstream/faults.ts";
import type { RelayOutcome } from "../../../src/proxy/upstream/relay-task.ts";
import { nextTry, planTries, retryAfterMs } from "../../../src/proxy/upstream/tries.ts";
import { configOf } from "../../support/start-proxy.ts";

function upstream(name: string, keys: string[]) {
  const settings = {
    dialect: "messages",
    base_url: "http://x",
    ...(keys.length > 0 ? { api_keys: keys } : {}),
  };
  const found = configOf({ upstreams: { [name]: settings } }).upstreams.get(name);
  if (!found) throw new Error("no upstream");
  return found;
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
const still = () => 0;

describe("trying again", () => {
  it("takes keys in turn from call to call", () => {
    const one = upstream("a", ["k1", "k2", "k3"]);
    expect([1, 2, 3, 4].map(() => planTries([one]).key)).toEqual(["k1", "k2", "k3", "k1"]);
  });

  it("goes on to the next key for 401, 402, 403 and 429, and through all of them", () => {
    for (const status of [401, 402, 403, 429]) {
      const first = planTries([upstream("a", ["k1", "k2"])]);
      const second = nextTry(first, refused(status), still);
      expect(second?.key).toBe("k2");
      expect(second && nextTry(second, refused(status), still)).toBeUndefined();
    }
  });

  it("goes on to the next upstream for failures of this one, not for the client's mistakes", () => {
    const plan = planTries([upstream("a", []), upstream("b", [])]);
    for (const outcome of [refused(500), refused(529), refused(401), failed("ECONNREFUSED")])
      expect(nextTry(plan, outcome, still)?.upstream.name).toBe("b");
    for (const outcome of [refused(400), refused(404), refused(413), refused(422)])
      expect(nextTry(plan, outcome, still)).toBeUndefined();
  });

  it("tries the same place twice more where connecting failed, and no more", () => {
    let plan = planTries([upstream("a", [])]);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const next = nextTry(plan, failed("ECONNRESET"), still);
      if (!next) throw new Error("no other try");
      expect(next.delayMs).toBe(100 * (repeat + 1));
      plan = next;
    }
    expect(nextTry(plan, failed("ECONNRESET"), still)).toBeUndefined();
    expect(nextTry(planTries([upstream("a", [])]), failed("UND_ERR_HEADERS_TIMEOUT"), still)).toBeUndefined();
  });

  it("never tries again once the client was sent something, or has gone", () => {
    const plan = planTries([upstream("a", []), upstream("b", [])]);
    expect(nextTry(plan, { kind: "gone" }, still)).toBeUndefined();
    expect(nextTry(plan, { kind: "broken" }, still)).toBeUndefined();
    expect(nextTry(plan, { kind: "answered" }, still)).toBeUndefined();
  });

  it.each([
    ["0", 0],
    ["2", 2000],
    ["20", 20_000],
    ["21", undefined],
    ["Wed, 21 Oct 2026 07:28:05 GMT", 5000],
    ["Wed, 21 Oct 2026 08:28:05 GMT", undefined],
    ["soon", undefined],
    [undefined, undefined],
  ])("waits for retry-after %s: %s ms", (value, milliseconds) => {
    expect(retryAfterMs(value, Date.parse("Wed, 21 Oct 2026 07:28:00 GMT"))).toBe(milliseconds);
  });
});
