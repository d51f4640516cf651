import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Part } from "../../../src/proxy/exchange/parts.ts";
import type { Turn } from "../../../src/proxy/exchange/request.ts";
import { finishSteps } from "../../../src/proxy/exchange/steps.ts";
import { pairToolResults } from "../../../src/proxy/exchange/tool-pairing.ts";

const pair = (turns: readonly Turn[]) => finishSteps(pairToolResults(turns));

const call = (id: string): Part => ({ type: "tool-call", id, name: "f", arguments: "{}" });
const result = (callId: string, text = callId): Part => ({
  type: "tool-result",
  callId,
  content: [{ type: "text", text }],
});
const text = (content: string): Part => ({ type: "text", text: content });

describe("pairToolResults", () => {
  it("leaves an ordered conversation unchanged", () => {
    const turns: Turn[] = [
      { role: "user", parts: [text("go")] },
      { role: "assistant", parts: [call("a"), call("b")] },
      { role: "user", parts: [result("a"), result("b"), text("and?")] },
    ];
    const paired = pair(turns);
    expect(paired.losses).toEqual([]);
    expect(paired.turns.map((turn) => turn.parts.map((part) => part.type))).toEqual(
      turns.map((turn) => turn.parts.map((part) => part.type)),
    );
  });

  it("moves a late result to its call", () => {
    const { turns } = pair([
      { role: "assistant", parts: [call("a")] },
      { role: "user", parts: [text("wait")] },
      { role: "assistant", parts: [text("ok")] },
      { role: "user", parts: [result("a")] },
    ]);
    expect(turns.map((turn) => turn.parts.map((part) => part.type))).toEqual([
      ["tool-call"],
      ["tool-result", "text"],
      ["text"],
    ]);
  });

  it("reports a result before its call as an orphan, and a second result as a duplicate", () => {
    const { losses } = pair([
      { role: "user", parts: [result("a", "early")] },
      { role: "assistant", parts: [call("a")] },
      { role: "user", parts: [result("a"), result("a", "again")] },
    ]);
    expect(losses.map(({ code }) => code)).toEqual(["tool-result-orphan", "tool-result-duplicate"]);
  });

  it("gives each call exactly one result directly after its turn, and keeps the order of texts", () => {
    const part = fc.oneof(
      fc.constantFrom("a", "b", "c").map(call),
      fc.constantFrom("a", "b", "c").map((id) => result(id)),
      fc.string({ minLength: 1 }).map(text),
    );
    const turn = fc.oneof(
      fc
        .array(part, { maxLength: 4 })
        .map(
          (parts): Turn => ({ role: "assistant", parts: parts.filter((one) => one.type !== "tool-result") }),
        ),
      fc
        .array(part, { maxLength: 4 })
        .map((parts): Turn => ({ role: "user", parts: parts.filter((one) => one.type !== "tool-call") })),
    );
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
        const paired = pair(turns).turns;
        const getTexts = (all: readonly Turn[]) =>
          all.flatMap((one) => one.parts).flatMap((one) => (one.type === "text" ? [one.text] : []));
        expect(getTexts(paired)).toEqual(getTexts(turns));
        const owed: string[] = [];
        const seen = new Set<string>();
        for (const { role, parts } of paired) {
          if (role === "user") {
            const callIds = parts.filter((one) => one.type === "tool-result").map((one) => one.callId);
            expect(callIds).toEqual(owed.splice(0));
            expect(parts.slice(callIds.length).some((one) => one.type === "tool-result")).toBe(false);
          }
          for (const one of parts) {
            if (one.type !== "tool-call") continue;
            expect(seen.has(one.id)).toBe(false);
            seen.add(one.id);
            owed.push(one.id);
          }
        }
        expect(owed).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
