import { describe, expect, it } from "vitest";
import { age, count, duration } from "../../../src/render/dashboard/amounts.ts";

describe("durations on the dashboard", () => {
  it.each([
    [0, "0 ms"],
    [850.4, "850 ms"],
    [999.4, "999 ms"],
    [999.6, "1.0 s"],
    [1_500, "1.5 s"],
    [59_949, "59.9 s"],
    [59_960, "1 min 0 s"],
    [60_000, "1 min 0 s"],
    [125_900, "2 min 5 s"],
    [3_599_999, "59 min 59 s"],
    [3_780_000, "1 h 3 min"],
    [undefined, "–"],
  ])("format %s ms as %s", (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });

  it("are whole seconds for an elapsed time below one minute", () => {
    expect([0, 59_999, 60_000].map(age)).toEqual(["0 s", "59 s", "1 min 0 s"]);
  });
});

describe("counts on the dashboard", () => {
  it.each([
    [950, "950"],
    [9_500, "9.5k"],
    [99_949, "99.9k"],
    [99_950, "100k"],
    [999_499, "999k"],
    [999_500, "1.0M"],
    [9_500_000, "9.5M"],
    [undefined, "–"],
  ])("format %s as %s", (amount, text) => {
    expect(count(amount)).toBe(text);
  });
});
