import { describe, expect, it } from "vitest";
import { claudePermissionRequest, claudePreToolUse } from "../../src/agents/claude-code/hook.ts";
import { codexStop } from "../../src/agents/codex/hook.ts";
import { planInTranscript } from "../../src/agents/codex/transcript.ts";
import { copilotNotes, copilotPreToolUse } from "../../src/agents/copilot-cli/hook.ts";
import { geminiBeforeTool } from "../../src/agents/gemini-cli/hook.ts";
import type { PlanDecision } from "../../src/review/decision.ts";
import { decisionText, jsonChannel, textChannel } from "../../src/review/plan/generic-channel.ts";

const PLAN = "# Plan\n\nDo it.\n";
const approve: PlanDecision = { kind: "approve" };
const deny: PlanDecision = { kind: "deny", feedback: 'Not "yet"\nsecond line' };
const parsed = (text: string) => JSON.parse(text);

describe("Claude Code, PermissionRequest", () => {
  const toolInput = { plan: PLAN, planFilePath: "p.md", later: { nested: [1, null] } };
  const encode = (decision: PlanDecision) =>
    parsed(claudePermissionRequest(toolInput).encode(decision, PLAN));
  const outputWith = (decision: object) => ({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
  });

  it("allows with the input as it came and no mode", () => {
    expect(encode(approve)).toEqual(outputWith({ behavior: "allow", updatedInput: toolInput }));
  });

  it("sets the mode the person chose, for the session", () => {
    expect(encode({ ...approve, permissionMode: "acceptEdits" })).toEqual(
      outputWith({
        behavior: "allow",
        updatedInput: toolInput,
        updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
      }),
    );
  });

  it("hands notes and an edited plan back in the plan", () => {
    const note = encode({ ...approve, feedback: "Mind the roof." });
    const { plan, ...rest } = note.hookSpecificOutput.decision.updatedInput;
    expect(plan).toBe("# Plan\n\nDo it.\n\n---\n\n## Notes from the reviewer\n\nMind the roof.\n");
    expect(rest).toEqual({ planFilePath: "p.md", later: { nested: [1, null] } });
    const edited = encode({ ...approve, editedPlan: "# Better" });
    expect(edited.hookSpecificOutput.decision.updatedInput.plan).toBe("# Better");
  });

  it("makes composed notes a section of the plan: one title, headings below it, code as it is", () => {
    const feedback =
      "# Notes on the approved plan\n\nKeep to them:\n\n## 1. Comment on line 2\n\n```sh\n# not a heading\n```\n";
    const { plan } = encode({ ...approve, feedback }).hookSpecificOutput.decision.updatedInput;
    expect(plan).toBe(
      "# Plan\n\nDo it.\n\n---\n\n## Notes from the reviewer\n\nKeep to them:\n\n### 1. Comment on line 2\n\n```sh\n# not a heading\n```\n",
    );
  });

  it("denies with the feedback as message", () => {
    expect(encode(deny)).toEqual(outputWith({ behavior: "deny", message: 'Not "yet"\nsecond line' }));
    expect(encode({ kind: "deny" })).toEqual(
      outputWith({ behavior: "deny", message: "Plan rejected by user" }),
    );
  });

  it("allows an event without a plan with the empty input", () => {
    expect(parsed(claudePermissionRequest({}).encode(approve, ""))).toEqual(
      outputWith({ behavior: "allow", updatedInput: {} }),
    );
  });

  it("is one line, whatever is in it", () => {
    const feedback = "a\nb\r\n\u2028\ud800";
    expect(claudePermissionRequest(toolInput).encode({ kind: "deny", feedback }, PLAN)).not.toMatch(/[\n\r]/);
  });
});

describe("Claude Code, PreToolUse", () => {
  it("has members of its own", () => {
    const channel = claudePreToolUse({ plan: PLAN });
    expect(parsed(channel.encode(approve, PLAN)).hookSpecificOutput).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      updatedInput: { plan: PLAN },
    });
    expect(parsed(channel.encode(deny, PLAN)).hookSpecificOutput).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: deny.feedback,
    });
  });
});

describe("the others", () => {
  it.each([
    [
      "Gemini CLI",
      geminiBeforeTool,
      { decision: "allow" },
      { decision: "deny", reason: deny.feedback },
      "plan",
    ],
    ["Codex CLI", codexStop, {}, { decision: "block", reason: deny.feedback }, "none"],
    [
      "Copilot CLI",
      copilotPreToolUse,
      { permissionDecision: "allow" },
      { permissionDecision: "deny", permissionDecisionReason: deny.feedback },
      "feedback",
    ],
  ])("%s", (name, channel, allowed, denied, approvalNote) => {
    expect(channel.callerName).toBe(name);
    expect(parsed(channel.encode(approve, PLAN))).toEqual(allowed);
    expect(parsed(channel.encode(deny, PLAN))).toEqual(denied);
    expect(channel.takes.approvalNote).toBe(approvalNote);
  });

  it("returns the feedback to Copilot CLI once the plan is accepted there too", () => {
    expect(parsed(copilotNotes({ ...approve, feedback: "Mind the roof." }) ?? "")).toEqual({
      additionalContext: expect.stringMatching(/notes[\s\S]*Mind the roof\.$/),
    });
    expect(copilotNotes(approve)).toBeUndefined();
  });

  it("does not let Copilot CLI pass over a denial that is too long for it", () => {
    const reply = copilotPreToolUse.encode({ kind: "deny", feedback: "ß🚀\n".repeat(100_000) }, PLAN);
    expect(Buffer.byteLength(reply)).toBeLessThanOrEqual(250_000);
    expect(parsed(reply).permissionDecisionReason).toMatch(
      /^ß🚀\n[\s\S]*\[Too long for Copilot CLI[\s\S]*review last/,
    );
  });

  it("reads Codex's plan from its transcript: the last of the turn, broken lines passed over", () => {
    const item = (text: string, turn: string) =>
      JSON.stringify({
        type: "event_msg",
        payload: { type: "item_completed", turn_id: turn, item: { type: "Plan", text } },
      });
    const other = JSON.stringify({
      payload: { type: "item_completed", item: { type: "Message", text: "no" } },
    });
    const transcript = [item("# One", "1"), item("# Two", "2"), other, '{"item_completed" broken', ""].join(
      "\n",
    );
    expect(planInTranscript(transcript, undefined)).toBe("# Two");
    expect(planInTranscript(transcript, "1")).toBe("# One");
    expect(planInTranscript(transcript, "3")).toBeUndefined();
  });
});

describe("the generic answer", () => {
  it("is JSON without absent members", () => {
    const decision: PlanDecision = {
      kind: "approve",
      agentSwitch: "build",
      savedPath: "/p.md",
      editedPlan: "# B",
    };
    expect(parsed(jsonChannel("origin_b").encode(decision, PLAN))).toEqual({
      decision: "approve",
      agentSwitch: "build",
      savedPath: "/p.md",
      plan: "# B",
    });
  });

  it("is text an agent can act on", () => {
    expect(textChannel("origin_b").encode(approve, PLAN)).toBe("Plan approved.");
    expect(decisionText({ ...approve, feedback: "Mind the roof." })).toContain("Mind the roof.");
    expect(decisionText({ ...approve, editedPlan: "# Better" })).toContain("# Better");
    expect(decisionText({ ...approve, permissionMode: "acceptEdits" })).toContain("acceptEdits");
    expect(decisionText(deny)).toBe(`Plan not approved.\n\n${deny.feedback}`);
    expect(decisionText({ kind: "deny" })).toBe("Plan rejected by user");
  });

  it("takes notes and agents for origin_b, modes for origin_a", () => {
    expect(jsonChannel("origin_a").takes).toMatchObject({
      approvalNote: "none",
      takesPermissionMode: true,
      takesAgentSwitch: false,
    });
    expect(textChannel("origin_b").takes).toMatchObject({
      approvalNote: "feedback",
      takesPermissionMode: false,
      takesAgentSwitch: true,
    });
  });
});
