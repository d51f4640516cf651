import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanAnnotation } from "../../../../src/review/api-types.ts";
import { toAnchor } from "../../../../web/plan/model/anchor.ts";
import { relocate } from "../../../../web/plan/model/relocate.ts";
import { requestState } from "../../../../web/plan/model/request-state.ts";

const before = "# Plan\n\nWe keep sessions in process memory.\n\nWe accept that for now.\n";

/** Returns the state, in the second plan, of a request on the text `quote` of the first. */
function stateIn(after: string, type: PlanAnnotation["type"], quote: string, replacement?: string) {
  const plan = parseMarkdown(before);
  const leaf = plan.leaves.findIndex(({ text }) => text.includes(quote));
  const offset = plan.leaves[leaf]?.text.indexOf(quote) ?? -1;
  const anchor = toAnchor(plan, { first: { leaf, offset }, last: { leaf, offset: offset + quote.length } });
  if (!anchor) throw new Error("no anchor");
  const request = {
    id: "a",
    type,
    anchor,
    text: "",
    createdAt: "",
    ...(replacement !== undefined && { replacement }),
  };
  const document = parseMarkdown(after);
  return requestState(before, document, request, relocate(document, anchor) === undefined).text;
}

describe("a request of the last round", () => {
  it("to replace is met if the new text stands there instead of the old", () => {
    const request = ["replace", "process memory", "Redis"] as const;
    expect(stateIn(before.replace("process memory", "Redis"), ...request)).toBe("replaced as requested");
    expect(stateIn(before.replace("process memory", "a file"), ...request)).toBe(
      "text changed, not as requested",
    );
    expect(stateIn(before, ...request)).toBe("not replaced");
    expect(stateIn(`${before}\nSee Redis.\n`, ...request)).toBe("not replaced");
  });

  it("to replace text by more of it is met although the old text is still there", () => {
    const longer = "process memory, which a deploy clears";
    expect(stateIn(before.replace("process memory", longer), "replace", "process memory", longer)).toBe(
      "replaced as requested",
    );
  });

  it("to insert is met if the text is there, however it is wrapped", () => {
    const wanted = "Then we\nmove them to Redis.";
    const after = before.replace("memory.", "memory.\n\nThen we move them\nto Redis.");
    expect(stateIn(after, "insert", "process memory", wanted)).toBe("inserted as requested");
    expect(stateIn(before, "insert", "process memory", wanted)).toBe("not inserted");
  });

  it("to remove is met if the text is gone", () => {
    const request = ["delete", "We accept that for now."] as const;
    expect(stateIn(before.replace("\nWe accept that for now.\n", ""), ...request)).toBe(
      "removed as requested",
    );
    expect(stateIn(before, ...request)).toBe("still there");
  });

  it("in other words is only known to have changed or not", () => {
    expect(stateIn(before, "comment", "process memory")).toBe("text unchanged");
    expect(stateIn(before.replace("process memory", "Redis"), "concern", "process memory")).toBe(
      "text changed",
    );
  });
});
