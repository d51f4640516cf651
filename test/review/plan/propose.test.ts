import { describe, expect, it } from "vitest";
import { claudePermissionRequest } from "../../../src/agents/claude-code/hook.ts";
import { codexStop } from "../../../src/agents/codex/hook.ts";
import { jsonChannel } from "../../../src/review/plan/generic-channel.ts";
import { type ApprovalRules, proposeApproval, proposeDenial } from "../../../src/review/plan/propose.ts";

const agents = [
  { id: "build", name: "Build", description: "" },
  { id: "solo", name: "solo", description: "" },
];
const a: ApprovalRules = { origin: "origin_a", channel: jsonChannel("origin_a"), plan: "# Plan", agents: [] };
const b: ApprovalRules = { origin: "origin_b", channel: jsonChannel("origin_b"), plan: "# Plan", agents };
const claude: ApprovalRules = { ...a, channel: claudePermissionRequest({}) };

describe("proposeApproval", () => {
  it("keeps the fields that each origin accepts", () => {
    expect(proposeApproval({ permissionMode: "acceptEdits" }, a)).toEqual({
      decision: { kind: "approve", permissionMode: "acceptEdits" },
      warnings: [],
    });
    expect(proposeApproval({ feedback: "note", agentSwitch: "build" }, b)).toEqual({
      decision: { kind: "approve", feedback: "note", agentSwitch: "build" },
      warnings: [],
    });
  });

  it.each([
    ["permissionMode", { permissionMode: "bypassPermissions" as const }, b],
    ["agentSwitch", { agentSwitch: "build" }, a],
    ["feedback", { feedback: "note" }, a],
    ["plan", { plan: "# Other" }, { ...a, channel: codexStop }],
  ])("leaves out a %s that cannot reach the agent, and says so", (member, body, rules) => {
    const { decision, warnings } = proposeApproval(body, rules);
    expect(decision).toEqual({ kind: "approve" });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(member);
  });

  it("accepts a note for Claude Code, which receives it in the plan", () => {
    expect(proposeApproval({ feedback: "note" }, claude).decision).toEqual({
      kind: "approve",
      feedback: "note",
    });
  });

  it("treats a plan as edited only if its text differs", () => {
    expect(proposeApproval({ plan: "# Plan" }, claude).decision).toEqual({ kind: "approve" });
    expect(proposeApproval({ plan: "# New" }, claude).decision).toEqual({
      kind: "approve",
      editedPlan: "# New",
    });
  });

  it("accepts agents by id and name, or any agent if none are listed", () => {
    expect(proposeApproval({ agentSwitch: "Build" }, b).decision.agentSwitch).toBe("Build");
    expect(() => proposeApproval({ agentSwitch: "nobody" }, b)).toThrowError(/nobody/);
    expect(proposeApproval({ agentSwitch: "nobody" }, { ...b, agents: [] }).decision.agentSwitch).toBe(
      "nobody",
    );
  });

  it("treats empty text as missing", () => {
    for (const feedback of ["", " \n\t"]) {
      expect(proposeApproval({ feedback, agentSwitch: "" }, a)).toEqual({
        decision: { kind: "approve" },
        warnings: [],
      });
    }
  });
});

describe("proposeDenial", () => {
  it("always has feedback", () => {
    expect(proposeDenial({ feedback: "no" }).decision).toEqual({ kind: "deny", feedback: "no" });
    expect(proposeDenial({}).decision).toEqual({ kind: "deny", feedback: "Plan rejected by user" });
    for (const feedback of ["", " \n\t"])
      expect(proposeDenial({ feedback }).decision.feedback).toBe("Plan rejected by user");
    expect(proposeDenial({ feedback: " as typed \n" }).decision.feedback).toBe(" as typed \n");
  });
});
