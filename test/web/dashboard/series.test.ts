import { describe, expect, it } from "vitest";
import { formatLocation, parseLocation } from "../../../web/dashboard/data/location.ts";
import { findRange, getStart, listSteps } from "../../../web/dashboard/data/ranges.ts";
import {
  createLine,
  createRestLine,
  FIGURES,
  findIsolated,
  largestGroups,
} from "../../../web/dashboard/overview/series.ts";

const NOW = Date.UTC(2026, 10, 23, 6, 20, 30);
const HOUR = 3_600_000;

describe("the ranges of the dashboard", () => {
  it("begin at whole steps, so that totals suffice, and end with the current one", () => {
    const steps = listSteps(findRange("24h"), NOW);
    expect(steps).toHaveLength(24);
    expect(steps.at(-1)).toBe(Date.UTC(2026, 10, 23, 6));
    expect(getStart(findRange("30d"), NOW)).toBe("2026-10-25T00:00:00.000Z");
    expect(findRange("of yesterday").id).toBe("24h");
  });
});

describe("a line of a chart", () => {
  const steps = [NOW - 2 * HOUR, NOW - HOUR, NOW];
  const rows = [{ hour: new Date(NOW - HOUR).toISOString(), calls: 3, p50_ms: 20 }];

  it("has 0 for sums and no value for percentiles where there are no calls", () => {
    expect(createLine("Calls", rows, steps, "hour", FIGURES.calls).values).toEqual([0, 3, 0]);
    expect(createLine("Median", rows, steps, "hour", FIGURES.p50).values).toEqual([null, 20, null]);
  });

  it("shows the rest of the total, if there is any", () => {
    const total = { label: "", values: [0.3, 5, null] };
    const lines = [
      { label: "a", values: [0.1, 2, 0] },
      { label: "b", values: [0.2, 2, 0] },
    ];
    expect(createRestLine("Other", total, lines)).toEqual({ label: "Other", values: [0, 1, 0] });
    expect(createRestLine("Other", { label: "", values: [0.3] }, lines)).toBeUndefined();
  });

  it("belongs to one of the groups with the most calls that have a name", () => {
    const groups = [
      { team: null, calls: 9 },
      { team: "a", calls: 1 },
      { team: "b", calls: 5 },
      { team: "c", calls: 2 },
    ];
    expect(largestGroups(groups, "team", FIGURES.calls, 2)).toEqual(["b", "c"]);
  });
});

describe("the page's location", () => {
  it("survives the way through the URL, whatever names it contains", () => {
    const location = { view: "calls", item: "a/b?c#d%", choices: { model: "x&y=z #1", q: "ä" } };
    expect(parseLocation(formatLocation(location))).toEqual(location);
    expect(parseLocation("#/calls/%E0%A4%A")).toMatchObject({ view: "calls", item: "%E0%A4%A" });
    expect(formatLocation({ view: "calls", item: undefined, choices: { q: "" } })).toBe("#/calls");
  });
});

describe("findIsolated", () => {
  it("finds values that no line reaches", () => {
    expect(findIsolated([null, 3, null, undefined, 0])).toEqual([1, 4]);
    expect(findIsolated([1, 2, null, 4, 5])).toEqual([]);
    expect(findIsolated([7])).toEqual([0]);
    expect(findIsolated([])).toEqual([]);
  });
});
