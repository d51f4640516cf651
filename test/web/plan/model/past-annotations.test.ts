import { describe, expect, it } from "vitest";
import type { PlanAnnotation, Round } from "../../../../src/review/api-types.ts";
import { pastAnnotations, repeatedId } from "../../../../web/plan/model/annotations.ts";

const annotation = (id: string): PlanAnnotation => ({
  id,
  type: "general",
  text: id,
  createdAt: "2026-01-01",
});
const round: Round = { round: 1, plan: "# Plan\n", arrivedAt: "2026-01-01" };
const drafted = (content: unknown): Round => ({
  ...round,
  draft: { generation: 1, savedAt: "2026-01-01", content },
});

describe("annotations of the previous round", () => {
  it("are omitted if they were never sent and are among the current ones", () => {
    const past = drafted({ annotations: [annotation("taken"), annotation("again"), annotation("left")] });
    const current = [annotation("taken"), annotation(repeatedId("again", past))];
    expect(pastAnnotations(past, current)).toEqual([annotation("left")]);
    expect(pastAnnotations(past, [])).toHaveLength(3);
  });

  it("are kept if they were sent, whatever is added again", () => {
    const annotations = [annotation("sent")];
    const past: Round = {
      ...round,
      decision: { decision: "deny", decidedAt: "2026-01-01", annotations },
    };
    expect(pastAnnotations(past, [annotation("sent"), annotation(repeatedId("sent", past))])).toEqual(
      annotations,
    );
  });

  it("are empty if a round has none, or its draft has another format", () => {
    expect(pastAnnotations(round, [])).toEqual([]);
    expect(
      pastAnnotations({ ...round, decision: { decision: "approve", decidedAt: "2026-01-01" } }, []),
    ).toEqual([]);
    for (const content of [null, "text", {}, { annotations: "none" }])
      expect(pastAnnotations(drafted(content), [])).toEqual([]);
  });
});
