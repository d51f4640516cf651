import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/review/decision.ts";
import {
  advance,
  createSession,
  type Outcome,
  type Session,
  type SessionEvent,
  type SessionState,
} from "../../src/review/session.ts";

const approve: Decision = { kind: "approve" };
const deny: Decision = { kind: "deny", feedback: "no" };

const waiting: SessionState = { phase: "waiting" };
const claimed: SessionState = { phase: "claimed" };
const decided: SessionState = { phase: "decided", decision: approve };
const over: SessionState = { phase: "over", outcome: { kind: "decided", decision: approve } };

const claim: SessionEvent = { type: "claim" };
const release: SessionEvent = { type: "release" };
const decide: SessionEvent = { type: "decide", decision: approve };
const deliver: SessionEvent = { type: "deliver" };
const abandon: SessionEvent = { type: "abandon", reason: "timeout" };

describe("advance", () => {
  it.each([
    ["waiting + claim", waiting, claim, claimed],
    [
      "waiting + abandon",
      waiting,
      abandon,
      { phase: "over", outcome: { kind: "abandoned", reason: "timeout" } },
    ],
    ["claimed + decide", claimed, decide, decided],
    ["claimed + release", claimed, release, waiting],
    ["claimed + abandon", claimed, abandon, { phase: "claimed", abandoned: "timeout" }],
    ["decided + deliver", decided, deliver, over],
    ["decided + abandon: the decision stands", decided, abandon, over],
  ])("%s", (_name, state, event, next) => {
    expect(advance(state, event)).toEqual(next);
  });

  it("ends a review whose claim is released after it was abandoned", () => {
    const state = advance({ phase: "claimed", abandoned: "signal" }, release);
    expect(state).toEqual({ phase: "over", outcome: { kind: "abandoned", reason: "signal" } });
  });

  it.each([
    ["a second claim", claimed, claim],
    ["a claim after the decision", decided, claim],
    ["a claim after the end", over, claim],
    ["a decision nobody claimed", waiting, decide],
    ["a second decision", decided, decide],
    ["a claim of a review that is left", { phase: "claimed", abandoned: "signal" } as const, claim],
    ["a decision after the end", over, decide],
    ["a delivery after the end", over, deliver],
    ["a release after the end", over, release],
    ["a release of nothing", waiting, release],
    ["a release after the decision", decided, release],
    ["a delivery of nothing", waiting, deliver],
    ["a delivery before the decision", claimed, deliver],
    ["anything after the end", over, abandon],
  ])("refuses %s", (_name, state, event) => {
    expect(advance(state, event)).toBeUndefined();
  });
});

/** Returns the outcome of the review, or undefined while it is open. In a race, a settled promise wins. */
function outcomeSoFar(session: Session): Promise<Outcome | undefined> {
  return Promise.race([session.outcome, Promise.resolve(undefined)]);
}

describe("createSession", () => {
  it("can be claimed by exactly one of many", () => {
    const session = createSession();
    const claims = Array.from({ length: 100 }, () => session.claim());
    expect(claims).toEqual(claims.map((_, index) => index === 0));
  });

  it("resolves with the decision only once it is delivered", async () => {
    const session = createSession();
    expect([session.phase, await outcomeSoFar(session)]).toEqual(["waiting", undefined]);
    session.claim();
    expect([session.phase, await outcomeSoFar(session)]).toEqual(["claimed", undefined]);
    session.decide(deny);
    expect([session.phase, await outcomeSoFar(session)]).toEqual(["decided", undefined]);
    session.deliver();
    expect([session.phase, await outcomeSoFar(session)]).toEqual([
      "over",
      { kind: "decided", decision: deny },
    ]);
  });

  it("can be claimed again after a release", () => {
    const session = createSession();
    session.claim();
    session.release();
    expect(session.phase).toBe("waiting");
    expect(session.claim()).toBe(true);
  });

  it("completes a decision that is being taken when the time limit passes", async () => {
    const session = createSession();
    session.claim();
    session.abandon("timeout");
    expect([session.phase, await outcomeSoFar(session)]).toEqual(["claimed", undefined]);
    session.decide(approve);
    session.deliver();
    expect(await outcomeSoFar(session)).toEqual({ kind: "decided", decision: approve });
  });

  it("ends without a decision if none is taken or it is released", async () => {
    const left = createSession();
    left.abandon("caller-gone");
    expect(await outcomeSoFar(left)).toEqual({ kind: "abandoned", reason: "caller-gone" });
    const given = createSession();
    given.claim();
    given.abandon("signal");
    given.release();
    expect(await outcomeSoFar(given)).toEqual({ kind: "abandoned", reason: "signal" });
    expect(given.claim()).toBe(false);
  });
});
