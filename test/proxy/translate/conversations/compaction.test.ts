import { describe, expect, it } from "vitest";
import { asksToCompact } from "../../../../src/proxy/translate/conversations/compaction.ts";

describe("a request for a compaction", () => {
  const asks = (input: unknown, more: object = {}, indent = 0) =>
    asksToCompact("generate", Buffer.from(JSON.stringify({ input, ...more }, undefined, indent)));

  it("is recognized by the type of an item", () => {
    expect(asks([{ role: "user", content: "a" }, { type: "compaction_trigger" }])).toBe(true);
    expect(asks([{ type: "compaction_trigger" }], {}, 8)).toBe(true);
    expect(asks([{ role: "user", content: "compaction_trigger" }, { type: "compaction_trigger" }])).toBe(
      true,
    );
    expect(asksToCompact("compact", undefined)).toBe(true);
  });

  it("is not a text that equals or quotes the type", () => {
    expect(asks("compaction_trigger")).toBe(false);
    expect(asks([{ role: "user", content: "compaction_trigger" }])).toBe(false);
    expect(asks([{ role: "user", content: '{"type":"compaction_trigger"}' }])).toBe(false);
    expect(asks("a", { metadata: { compaction_trigger: "compaction_trigger" } })).toBe(false);
  });
});
