import { expect, it } from "vitest";
import { timeAgo } from "../../../web/shared/time-ago.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

it.each([
  ["2026-11-22T11:59:30Z", "just now"],
  ["2026-11-22T12:00:05Z", "just now"],
  ["2026-11-22T11:59:00Z", "1 minute ago"],
  ["2026-11-22T11:55:10Z", "4 minutes ago"],
  ["2026-11-22T10:01:00Z", "1 hour ago"],
  ["2026-11-21T11:00:00Z", "yesterday"],
  ["2026-11-16T12:00:00Z", "6 days ago"],
  ["2026-11-02T12:00:00Z", "Nov 2, 2026"],
  ["not a time", "Invalid Date"],
])("formats the time %s relative to now", (instant, expected) => {
  expect(timeAgo(instant, NOW)).toBe(expected);
});
