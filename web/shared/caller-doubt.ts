import type { CallerDoubt } from "../../src/review/api-types.ts";
import { sentenceStart } from "./sentence-start.ts";

const REASONS: Readonly<Record<CallerDoubt, string>> = {
  "asked-again": "has since requested another review",
  "decided-in-terminal": "received a decision in its own terminal",
  "limit-passed": "asks in its terminal instead, as it does after a minute,",
  "went-on": "has since continued its conversation",
  "launcher-gone": "lost the program that started it",
  "terminal-gone": "lost its terminal",
  disconnected: "has disconnected from this review",
};

/** The reasons that rule out that the agent reads the decision. */
const CERTAIN: ReadonlySet<CallerDoubt> = new Set([
  "asked-again",
  "decided-in-terminal",
  "limit-passed",
  "went-on",
]);

/** Returns a sentence with the reason why a decision does not, or may not, reach the agent. */
export function describeDoubt(name: string, doubt: CallerDoubt): string {
  const effect = CERTAIN.has(doubt) ? "no longer waits" : "may no longer wait";
  return `${sentenceStart(name)} ${REASONS[doubt]} and ${effect} for your decision.`;
}

/** Returns the title of the page after a decision that does not, or may not, reach the agent. */
export function undeliveredTitle(doubt: CallerDoubt): string {
  return CERTAIN.has(doubt) ? "Not delivered" : "Saved, but maybe not delivered";
}
