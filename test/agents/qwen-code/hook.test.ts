import { describe, expect, it } from "vitest";
import { geminiBeforeTool } from "../../../src/agents/gemini-cli/hook.ts";
import { asciiJson } from "../../../src/agents/hook-output.ts";
import { qwenNotes, qwenPermissionRequest } from "../../../src/agents/qwen-code/hook.ts";

const MEBIBYTE = 1024 * 1024;
const decisionIn = (reply: string) => JSON.parse(reply).hookSpecificOutput;
const deny = (feedback: string, more = {}) =>
  qwenPermissionRequest.encode({ kind: "deny", feedback, ...more }, "# Plan");

describe("Qwen Code", () => {
  it("is allowed without a word, and denied with all of them", () => {
    expect(decisionIn(qwenPermissionRequest.encode({ kind: "approve", feedback: "Go." }, "# Plan"))).toEqual({
      hookEventName: "PermissionRequest",
      decision: { behavior: "allow" },
    });
    expect(decisionIn(deny('größer 🚀\n"x"'))).toEqual({
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: 'größer 🚀\n"x"' },
    });
    expect(decisionIn(qwenPermissionRequest.encode({ kind: "deny" }, "")).decision.message).toBe(
      "Plan rejected by user",
    );
  });

  it.each([
    ["a note", { feedback: "Mind «it»." }, /notes[\s\S]*Mind «it»\.$/],
    ["an edited plan", { editedPlan: "# Mine" }, /edited[\s\S]*# Mine$/],
    ["both", { feedback: "Mind it.", editedPlan: "# Mine" }, /Mind it\.[\s\S]*# Mine$/],
  ])("receives %s once its tool has run", (_what, members, expected) => {
    const { hookEventName, additionalContext } = decisionIn(qwenNotes({ kind: "approve", ...members }) ?? "");
    expect(hookEventName).toBe("PostToolUse");
    expect(additionalContext).toMatch(expected);
  });

  it("gets no output if there is nothing to report", () => {
    expect(qwenNotes({ kind: "approve" })).toBeUndefined();
    expect(qwenNotes({ kind: "approve", feedback: "" })).toBeUndefined();
  });

  it.each([
    ["in the saved plan", { savedPath: "/plans/x-denied.md" }, "it is in /plans/x-denied.md"],
    ["on record", {}, "`sallyport review last` prints it"],
  ])("gets text beyond its limit truncated, with the path of the rest: %s", (_where, more, rest) => {
    const feedback = `Begin.${"ß🚀\n".repeat(120_000)}`;
    const reply = deny(feedback, more);
    const { message } = decisionIn(reply).decision;
    expect(reply.length).toBeLessThanOrEqual(MEBIBYTE);
    expect(reply.length).toBeGreaterThan(MEBIBYTE * 0.8);
    expect(message.endsWith(`[Too long for Qwen Code: the end is missing here; ${rest}.]`)).toBe(true);
    expect(feedback.startsWith(message.slice(0, message.lastIndexOf("\n\n[")))).toBe(true);
    expect(decisionIn(deny("x".repeat(1_000_000))).decision.message).toBe("x".repeat(1_000_000));
  });
});

describe("replies for agents that decode piece by piece", () => {
  it.each(["größer", "🚀👩‍👩‍👧", "\u2028\u007f\u0080\ud800", 'plain \\u00e9 " \n', "שלום"])(
    "hold ASCII alone, and say the same: %j",
    (text) => {
      expect(asciiJson({ text })).toMatch(/^[\u0020-\u007f]*$/);
      expect(JSON.parse(asciiJson({ text }))).toEqual({ text });
      expect(geminiBeforeTool.encode({ kind: "deny", feedback: text }, "")).toMatch(/^[\u0020-\u007f]*$/);
      expect(deny(text)).toMatch(/^[\u0020-\u007f]*$/);
    },
  );
});
