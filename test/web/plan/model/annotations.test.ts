import { describe, expect, it } from "vitest";
import type { PlanAnnotation } from "../../../../src/review/api-types.ts";
import { describeAll } from "../../../../web/plan/model/annotations.ts";

const annotation = (id: string): PlanAnnotation => ({
  id,
  type: "general",
  text: `Text ${id}`,
  createdAt: "",
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
