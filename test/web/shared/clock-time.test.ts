import { expect, it } from "vitest";
import { clockTime } from "../../../web/shared/clock-time.ts";

it("is hours and minutes here, alike on every page, and nothing for what is no date", () => {
  expect(clockTime(new Date(2026, 10, 22, 9, 5).toISOString())).toBe("09:05");
  expect(clockTime(new Date(2026, 10, 22, 14, 45).toISOString())).toBe("14:45");
  expect(clockTime("soon")).toBe("");
});
