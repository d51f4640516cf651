import { describe, expect, it } from "vitest";
import { planShortcuts, readingShortcuts } from "../../../../web/plan/layout/plan-shortcuts.ts";
import { shortcutTable } from "../../../../web/shared/keyboard/shortcut-table.ts";

const entries = Object.values(shortcutTable);

describe("the table of shortcuts", () => {
  it("gives each key one meaning on all pages", () => {
    const keys = entries.flatMap((entry) => [...entry.keys]);
    expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted());
  });

  it("gives each action one label", () => {
    const labels = entries.map(({ label }) => label);
    expect(labels).toEqual([...new Set(labels)]);
  });

  it("delays every command that changes something, so that a typed word runs none", () => {
    const atOnce = entries.filter((entry) => "kind" in entry && entry.kind !== "move");
    expect(atOnce.flatMap((entry) => entry.keys[0])).toEqual(
      expect.arrayContaining(["c", "r", "i", "!", "f", "g", "t", "/", "y", "a", "x", "q", "V"]),
    );
    expect(atOnce).toHaveLength(13);
  });

  it("provides the keys of the plan page and of a saved page, which cannot decide", () => {
    const known = new Map(entries.map((entry) => [entry.label, entry.keys]));
    for (const { label, keys } of [...planShortcuts, ...readingShortcuts]) {
      expect(known.get(label as never)).toEqual(keys);
    }
    expect(readingShortcuts.flatMap(({ keys }) => keys)).not.toContain("a");
    expect(readingShortcuts.flatMap(({ keys }) => keys)).not.toContain("x");
  });
});
