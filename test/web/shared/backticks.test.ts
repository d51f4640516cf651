import { expect, it } from "vitest";
import { longestBackticks } from "../../../web/shared/markdown/backticks.ts";

it("finds the longest run of backticks, of however many", () => {
  expect(longestBackticks("")).toBe(0);
  expect(longestBackticks("a `b` ```c``` ``")).toBe(3);
  // More runs than a function takes arguments: minified code on one line has as many.
  expect(longestBackticks("` ".repeat(300_000))).toBe(1);
});
