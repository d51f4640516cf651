import type { Decision } from "./decision.ts";

/**
 * State of a review, which ends with at most one decision. A request claims the decision, records it and sends the
 * response.
 */
export type SessionState =
  | { readonly phase: "waiting" }
  /** A request is deciding; `abandoned` is the reason that would have ended the review in the meantime. */
  | { readonly phase: "claimed"; readonly abandoned?: EndReason }
  /** The decision is recorded; its response has not been flushed yet. */
  | { readonly phase: "decided"; readonly decision: Decision }
  | { readonly phase: "over"; readonly outcome: Outcome };

/**
 * The reason why a review ended without a decision. `ended` and `idle` occur only in live reviews: the person
 * or an agent ended the review, or no client was connected.
 */
export type EndReason = "caller-gone" | "timeout" | "signal" | "ended" | "idle";

export type Outcome =
  | { readonly kind: "decided"; readonly decision: Decision }
  | { readonly kind: "abandoned"; readonly reason: EndReason };

export type SessionEvent =
  | { readonly type: "claim" }
  | { readonly type: "release" }
  | { readonly type: "decide"; readonly decision: Decision }
  | { readonly type: "deliver" }
  | { readonly type: "abandon"; readonly reason: EndReason };

/** Returns the state after an event, or undefined if the state does not accept the event. */
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
      // The decision is final; there is nothing left to wait for.
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
  /**
   * Claims the decision for the caller, which must then call `decide` or `release`. Returns false while another caller
   * has the claim, and once the review is decided or over.
   */
  claim(): boolean;
  /** Gives up the claim without a decision. */
  release(): void;
  /** Sets the decision. Call it after the decision has been recorded. */
  decide(decision: Decision): void;
  /** Ends the review. Call it after the response has been sent. */
  deliver(): void;
  /**
   * Ends the review without a decision, or with the decision if that is recorded already. If a request is deciding, it
   * may finish first.
   */
  abandon(reason: EndReason): void;
}

/** Creates a session that waits for its decision. */
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
