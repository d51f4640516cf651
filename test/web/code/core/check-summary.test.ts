import { expect, it } from "vitest";
import { sortChecks, summarizeChecks } from "../../../../web/code/core/check-summary.ts";

const checks = (...states: string[]) => states.map((state, index) => ({ name: `check ${index}`, state }));

it.each([
  [["success", "skipped", "neutral"], "success", "All 3 checks passed"],
  [["success"], "success", "The check passed"],
  [["success", "timed_out"], "failure", "1 of 2 checks failed"],
  [["startup_failure", "action_required", "pending"], "failure", "2 of 3 checks failed"],
  [["success", "pending", "cancelled"], "pending", "1 of 3 checks are running"],
  [["success", "cancelled", "stopped"], "other", "2 of 3 checks did not pass"],
])("summarizes %j", (states, state, text) => {
  expect(summarizeChecks(checks(...states))).toEqual({ state, text });
});

it("has no summary without checks", () => {
  expect(summarizeChecks([])).toBeUndefined();
});

it("puts failed checks first, and keeps the order of the others", () => {
  const sorted = sortChecks(checks("success", "pending", "failure", "canceled", "success"));
  expect(sorted.map(({ name }) => name.slice(-1)).join("")).toBe("23104");
});
