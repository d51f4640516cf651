import { describe, expect, it } from "vitest";
import { planInTranscript } from "../../../src/agents/codex/transcript.ts";

const line = (turn: string, item: object) =>
  JSON.stringify({ type: "event_msg", payload: { type: "item_completed", turn_id: turn, item } });
const plan = (turn: string, text: string) => line(turn, { type: "Plan", id: `${turn}-plan`, text });
const asked = (turn: string) => line(turn, { type: "UserMessage", content: [] });
const denied = (turn: string) => line(turn, { type: "HookPrompt", fragments: [{ text: "No." }] });

describe("the plan in a Codex transcript", () => {
  it.each([
    ["the last one", [plan("t1", "a"), plan("t1", "b")], "b"],
    ["that of the turn", [plan("t1", "a"), plan("t2", "b")], "a"],
    ["none where nobody proposed one", [asked("t1")], undefined],
    ["none once the person has denied it", [plan("t1", "a"), denied("t1")], undefined],
    ["the revised one", [plan("t1", "a"), denied("t1"), plan("t1", "b")], "b"],
    ["none once the person has said something else", [plan("t1", "a"), asked("t1")], undefined],
    ["one between lines that are no JSON", ['{"item_completed" ', plan("t1", "a"), ""], "a"],
  ])("is %s", (_what, lines, found) => {
    expect(planInTranscript(lines.join("\n"), "t1")).toBe(found);
  });

  it("is the last of all where no turn is named", () => {
    expect(planInTranscript([plan("t1", "a"), plan("t2", "b")].join("\n"), undefined)).toBe("b");
  });
});
