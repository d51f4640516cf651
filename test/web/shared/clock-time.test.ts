import { expect, it } from "vitest";
import { clockTime } from "../../../web/shared/clock-time.ts";

it("formats hours and minutes in local time; empty for an invalid date", () => {
  expect(clockTime(new Date(2026, 10, 22, 9, 5).toISOString())).toBe("09:05");
  expect(clockTime(new Date(2026, 10, 22, 14, 45).toISOString())).toBe("14:45");
  expect(clockTime("soon")).toBe("");
});
