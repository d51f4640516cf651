import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanAnchor, PlanAnnotation } from "../../../../src/review/api-types.ts";
import { blockAnchor, linesAnchor, removedAnchor } from "../../../../web/plan/model/anchor.ts";
import { describeAll, relocateShifted } from "../../../../web/plan/model/annotations.ts";

const annotation = (id: string, anchor?: PlanAnchor): PlanAnnotation => ({
  id,
  type: anchor ? "comment" : "general",
  text: `Text ${id}`,
  createdAt: "",
  ...(anchor && { anchor }),
});

describe("the description of a block with comments", () => {
  it("has the texts of five comments, and the number of the others", () => {
    const all = ["1", "2", "3", "4", "5", "6", "7"].map((id) => annotation(id));
    const five =
      "General comment: Text 1; General comment: Text 2; General comment: Text 3; General comment: Text 4; General comment: Text 5";
    expect(describeAll(all.slice(0, 5))).toBe(five);
    expect(describeAll(all.slice(0, 6))).toBe(`${five}; 1 more comment`);
    expect(describeAll(all)).toBe(`${five}; 2 more comments`);
  });
});

describe("relocateShifted", () => {
  const source = "# Plan\n\n- test it\n- test it\n- test it\n\n![x](y.png)\n\nLast *words*.\n";
  const plan = parseMarkdown(source);
  const anchors = [
    ...[3, 4, 5, 9].map((line) => linesAnchor(plan, line, line)),
    ...plan.blocks.map((_, index) => blockAnchor(plan, index)),
    removedAnchor(plan, source.indexOf("Last"), "Gone."),
  ].filter((anchor) => anchor !== undefined);
  const annotations = anchors.map((anchor, index) => annotation(String(index), anchor));

  it("keeps annotations whose text is at their position, also if the text is repeated", () => {
    const all = [...annotations, annotation("general")];
    const kept = relocateShifted(plan, all);
    expect(kept.filter((each, index) => each !== all[index])).toEqual([]);
  });

  it("finds annotations again whose text has moved", () => {
    const longer = parseMarkdown(`New.\n\n${source}`);
    const last = annotations.filter(({ anchor }) => anchor?.startLine === 9 && !anchor.removed);
    const moved = relocateShifted(longer, last);
    expect(last.length).toBeGreaterThan(1);
    expect(moved.map(({ anchor }) => anchor?.startLine)).toEqual(last.map(() => 11));
    expect(relocateShifted(longer, moved)).toEqual(moved);
  });
});
