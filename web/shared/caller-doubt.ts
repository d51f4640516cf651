import type { CallerDoubt } from "../../src/review/api-types.ts";
import { sentenceStart } from "./sentence-start.ts";

const REASONS: Readonly<Record<CallerDoubt, string>> = {
  "asked-again": "has since requested another review",
  "limit-passed": "has stopped waiting for this review, as it does after a minute, and asks in its terminal,",
  "went-on": "has since continued its conversation",
  "launcher-gone": "lost the program that started it",
  "terminal-gone": "lost its terminal",
};

/** Describes why a decision may not reach the agent, as a sentence. */
export function describeDoubt(name: string, doubt: CallerDoubt): string {
  return `${sentenceStart(name)} ${REASONS[doubt]} and may no longer wait for your decision.`;
}
