import type { PullCheck } from "../../../src/review/api-types.ts";

export interface CheckSummary {
  readonly state: "failure" | "pending" | "success" | "other";
  readonly text: string;
}

/**
 * States in which forges count a check as failed, and as passed. A check in another state is pending, or ended without
 * a result.
 */
const FAILED: readonly string[] = ["failure", "timed_out", "startup_failure", "action_required"];
const PASSED: readonly string[] = ["success", "neutral", "skipped", "notApplicable"];

/** Summarizes the checks of a pull request; undefined if it has none. */
export function summarizeChecks(checks: readonly PullCheck[]): CheckSummary | undefined {
  const count = (kind: CheckSummary["state"]) =>
    checks.filter((check) => classifyCheck(check) === kind).length;
  const all = checks.length;
  if (all === 0) return undefined;
  const [failed, pending, others] = [count("failure"), count("pending"), count("other")];
  if (failed > 0) return { state: "failure", text: `${failed} of ${all} checks failed` };
  if (pending > 0) return { state: "pending", text: `${pending} of ${all} checks are running` };
  if (others > 0) return { state: "other", text: `${others} of ${all} checks did not pass` };
  return { state: "success", text: `${all === 1 ? "The check" : `All ${all} checks`} passed` };
}

/**
 * Returns whether a check failed, is pending or passed; `other` if none of these, for example because the check was
 * canceled.
 */
export function classifyCheck({ state }: PullCheck): CheckSummary["state"] {
  if (FAILED.includes(state)) return "failure";
  if (state === "pending") return "pending";
  return PASSED.includes(state) ? "success" : "other";
}

const ORDER: readonly string[] = ["failure", "other", "pending", "success"];

/** Returns the checks in the order in which they need attention: failed ones first. */
export function sortChecks(checks: readonly PullCheck[]): readonly PullCheck[] {
  return checks.toSorted(
    (one, other) => ORDER.indexOf(classifyCheck(one)) - ORDER.indexOf(classifyCheck(other)),
  );
}
