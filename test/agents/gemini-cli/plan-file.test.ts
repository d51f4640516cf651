import { expect, it } from "vitest";
import { geminiBeforeTool } from "../../../src/agents/gemini-cli/hook.ts";

it.each([
  ["an approval as it is", { kind: "approve" } as const, undefined],
  ["a denial", { kind: "deny", feedback: "No." } as const, undefined],
  [
    "an approval with a note",
    { kind: "approve", feedback: "Mind it." } as const,
    /^# Plan\n[\s\S]*\nMind it\.\n$/,
  ],
  ["an edited plan", { kind: "approve", editedPlan: "# Other" } as const, /^# Other$/],
])("the plan's file after %s", (_what, decision, expected) => {
  const text = geminiBeforeTool.planFile?.(decision, "# Plan\n");
  if (expected === undefined) expect(text).toBeUndefined();
  else expect(text).toMatch(expected);
});
