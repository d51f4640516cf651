import type { Decision } from "./decision.ts";

/**
 * The one thing a review is about: exactly one decision. A decision is claimed by the first request that brings a
 * proper one, put on record, answered, flushed, and only then handed to whoever waits for it.
 */
export type SessionState =
  | { readonly phase: "waiting" }
  /** Somebody decides; `abandoned` is what would have ended the review meanwhile. */
  | { readonly phase: "claimed"; readonly abandoned?: EndReason }
  /** On record, not yet known to have reached the page. */
  | { readonly phase: "decided"; readonly decision: Decision }
  | { readonly phase: "over"; readonly outcome: Outcome };

/** Why a review ended undecided. */
export type EndReason = "caller-gone" | "timeout" | "signal";

export type Outcome =
  | { readonly kind: "decided"; readonly decision: Decision }
  | { readonly kind: "abandoned"; readonly reason: EndReason };

export type SessionEvent =
  | { readonly type: "claim" }
  | { readonly type: "release" }
  | { readonly type: "decide"; readonly decision: Decision }
  | { readonly type: "deliver" }
  | { readonly type: "abandon"; readonly reason: EndReason };

/** The state after an event, or undefined where the event has no place in that state. Pure. */
export function advance(state: SessionState, event: SessionEvent): SessionState | undefined {
  switch (state.phase) {
    case "waiting":
      if (event.type === "claim") return { phase: "claimed" };
      return event.type === "abandon" ? abandoned(event.reason) : undefined;
    case "claimed":
      if (event.type === "decide") return { phase: "decided", decision: event.decision };
      if (event.type === "abandon") return { phase: "claimed", abandoned: event.reason };
      if (event.type !== "release") return undefined;
      return state.abandoned ? abandoned(state.abandoned) : { phase: "waiting" };
    case "decided":
      // Whatever else happens now, the decision stands; there is nothing left to wait for.
      if (event.type !== "deliver" && event.type !== "abandon") return undefined;
      return { phase: "over", outcome: { kind: "decided", decision: state.decision } };
    case "over":
      return undefined;
  }
}

function abandoned(reason: EndReason): SessionState {
  return { phase: "over", outcome: { kind: "abandoned", reason } };
}

export interface Session {
  readonly phase: SessionState["phase"];
  /** Resolves once, when the review is over. */
  readonly outcome: Promise<Outcome>;
  /** True for the one caller that may decide. It must `decide` or `release`. */
  claim(): boolean;
  /** Gives the claim back: nothing was decided. */
  release(): void;
  /** To be called once the decision is on record. */
  decide(decision: Decision): void;
  /** To be called once the page has its answer. */
  deliver(): void;
  /** Ends a review that has no decision; one that is being taken is finished first. */
  abandon(reason: EndReason): void;
}

/** A review that waits for its decision. */
export function createSession(): Session {
  let state: SessionState = { phase: "waiting" };
  let finish: (outcome: Outcome) => void;
  const outcome = new Promise<Outcome>((resolve) => {
    finish = resolve;
  });
  const apply = (event: SessionEvent): boolean => {
    const next = advance(state, event);
    if (next === undefined) return false;
    state = next;
    if (next.phase === "over") finish(next.outcome);
    return true;
  };
  return {
    get phase() {
      return state.phase;
    },
    outcome,
    claim: () => apply({ type: "claim" }),
    release: () => void apply({ type: "release" }),
    decide: (decision) => void apply({ type: "decide", decision }),
    deliver: () => void apply({ type: "deliver" }),
    abandon: (reason) => void apply({ type: "abandon", reason }),
  };
}
