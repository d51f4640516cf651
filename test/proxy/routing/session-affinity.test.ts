import { describe, expect, it } from "vitest";
import { getSession, inSessionOrder } from "../../../src/proxy/routing/session-affinity.ts";

const sessions = Array.from({ length: 600 }, (_, index) => `session ${index}`);
const ordered = (names: readonly string[], session: string, weights: Record<string, number> = {}) =>
  inSessionOrder(
    names,
    session,
    (name) => name,
    (name) => weights[name] ?? 1,
  );
/** Returns the number of sessions that use each target first. */
const firsts = (names: readonly string[], weights?: Record<string, number>) => {
  const counts: Record<string, number> = {};
  for (const session of sessions) {
    const [first = ""] = ordered(names, session, weights);
    counts[first] = (counts[first] ?? 0) + 1;
  }
  return counts;
};

describe("the order of targets for a session", () => {
  it("is the same each time and contains every target once", () => {
    for (const session of sessions.slice(0, 20)) {
      const order = ordered(["a", "b", "c"], session);
      expect(order).toEqual(ordered(["c", "a", "b"], session));
      expect(order.toSorted()).toEqual(["a", "b", "c"]);
    }
  });

  it("distributes sessions by weight", () => {
    const { a = 0, b = 0 } = firsts(["a", "b"], { a: 3 });
    expect(a / b).toBeGreaterThan(2);
    expect(a / b).toBeLessThan(4.5);
  });

  it("moves only the sessions of a removed target", () => {
    for (const session of sessions) {
      const [first, second] = ordered(["a", "b", "c"], session);
      expect(ordered(["a", "b"], session)[0]).toBe(first === "c" ? second : first);
    }
  });
});

describe("the session of a client", () => {
  it.each(["x-claude-code-session-id", "session_id", "session-id", "x-session-affinity"])(
    "is read from %s",
    (name) => {
      expect(getSession({ [name]: "s1" })).toBe("s1");
    },
  );

  it("is undefined if no header contains one", () => {
    expect(getSession({ "session-id": "", "user-agent": "x" })).toBeUndefined();
  });
});
