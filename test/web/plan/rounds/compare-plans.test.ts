import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparePlans, compareWords, countChanges } from "../../../../web/plan/rounds/compare-plans.ts";
import { samplePlan } from "../../../support/plans.ts";

const kinds = (before: string, after: string) =>
  comparePlans(before, after)
    .filter(({ kind }) => kind !== "same")
    .map((change) =>
      change.kind === "changed" ? ["changed", change.before, change.after] : [change.kind, change.text],
    );

describe("two rounds of a plan", () => {
  it("are the same where nothing changed, whatever the blank lines", () => {
    expect(countChanges(comparePlans(samplePlan, samplePlan))).toBe(0);
    expect(countChanges(comparePlans("a\n\nb\n", "a\n\n\nb"))).toBe(0);
  });

  it("differ block by block", () => {
    expect(kinds("# A\n\none two three\n\nstays", "# A\n\none two four\n\nstays\n\nnew")).toEqual([
      ["changed", "one two three", "one two four"],
      ["added", "new"],
    ]);
  });

  it("differ by list item, not by list", () => {
    expect(kinds("- a first\n- b second\n- c third", "- a first\n- c third")).toEqual([
      ["removed", "- b second"],
    ]);
  });

  it("do not pair what has nothing in common", () => {
    expect(kinds("alpha beta gamma", "delta epsilon zeta")).toEqual([
      ["removed", "alpha beta gamma"],
      ["added", "delta epsilon zeta"],
    ]);
  });

  it("lose no text: same and new blocks make up the later round", () => {
    const block = fc.constantFrom(
      "# Title",
      "- item one\n- item two",
      "Some words here.",
      "```\ncode\n```",
      "| a |\n|---|\n| b |",
    );
    fc.assert(
      fc.property(fc.array(block), fc.array(block), (old, now) => {
        const after = now.join("\n\n");
        const kept = comparePlans(old.join("\n\n"), after).flatMap((change) => {
          if (change.kind === "removed") return [];
          return change.kind === "changed" ? change.after : change.text;
        });
        expect(kept.join("").replace(/\s/g, "")).toBe(after.replace(/\s/g, ""));
      }),
    );
  });
});

describe("words", () => {
  it("that are new or gone are found by place", () => {
    const { removed, added } = compareWords("one two three", "one 2 three four");
    expect(removed.map(({ start, end }) => "one two three".slice(start, end))).toEqual(["two"]);
    expect(added.map(({ start, end }) => "one 2 three four".slice(start, end).trim())).toEqual(["2", "four"]);
  });
});
