import { describe, expect, it } from "vitest";
import type { ReviewEntry } from "../../../src/review/api-types.ts";
import { inboxOrder, newArrivals, reviewAddress, waitingTime } from "../../../web/inbox/entries.ts";
import { repositoryName } from "../../../web/shared/repository-name.ts";

const entry = (id: string, since: string): ReviewEntry => ({
  id,
  mode: "code",
  live: true,
  url: "http://localhost:1",
  title: id,
  repository: "shop",
  agent: "codex",
  since,
});

describe("the inbox", () => {
  const old = entry("old", "2026-01-01T00:00:00Z");
  const fresh = entry("fresh", "2026-01-02T00:00:00Z");

  it("lists the newest review first and reports only new ones", () => {
    expect(inboxOrder({ waiting: [old, fresh], decided: [] }).waiting).toEqual([fresh, old]);
    expect(newArrivals([old], [old, fresh])).toEqual([fresh]);
    expect(newArrivals([old, fresh], [old])).toEqual([]);
  });

  it("formats the waiting time in the largest useful unit", () => {
    const now = Date.parse("2026-01-10T12:00:00Z");
    const after = (minutes: number) => waitingTime(new Date(now - minutes * 60_000).toISOString(), now);
    expect([0, 2, 59, 60, 185, 1_440, 4_400].map(after)).toEqual([
      "just now",
      "2 min",
      "59 min",
      "1 h",
      "3 h 5 min",
      "1 day",
      "3 days",
    ]);
    expect(waitingTime("never", now)).toBe("");
    expect(waitingTime("2027-01-01T00:00:00Z", now)).toBe("just now");
  });

  it("names a repository by its folder", () => {
    expect(["/home/a/shop", "C:\\work\\shop\\", "shop", ""].map(repositoryName)).toEqual([
      "shop",
      "shop",
      "shop",
      "",
    ]);
  });

  it("links only to web addresses", () => {
    expect(reviewAddress("http://localhost:4000")).toBe("http://localhost:4000");
    expect(reviewAddress("javascript:alert(1)")).toBeUndefined();
  });
});
