import { type AgentChannel, DEFAULT_DENIAL } from "../../review/plan/agent-channel.ts";
import type { AgentHook } from "../hook.ts";

export const codexHook: AgentHook = {
  decode({ hook_event_name: name, transcript_path: path, turn_id: turnId, session_id: agentSession, cwd }) {
    if (name !== "Stop" || path === undefined) return undefined;
    const extract = async (text: string) => {
      const { planInTranscript } = await import("./transcript.ts");
      return planInTranscript(text, turnId);
    };
    // Codex runs the hook after every turn, with or without a plan.
    return {
      kind: "hook",
      channel: codexStop,
      plan: { in: "file", path, extract },
      planIsOptional: true,
      agentSession,
      cwd,
    };
  },
};

/**
 * Encodes decisions for Codex CLI's `Stop` hook after a proposed plan. A block continues the turn with the reason as a
 * prompt.
 */
export const codexStop: AgentChannel = {
  callerName: "Codex CLI",
  takes: {
    approvalNote: "none",
    takesEditedPlan: false,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  encode: ({ kind, feedback }) =>
    JSON.stringify(kind === "approve" ? {} : { decision: "block", reason: feedback ?? DEFAULT_DENIAL }),
};
