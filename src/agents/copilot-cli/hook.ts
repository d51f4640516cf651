import { basename, join } from "node:path";
import { type AgentChannel, DEFAULT_DENIAL } from "../../review/plan/agent-channel.ts";
import type { AgentHook, NotesEncoder, PlanLocation } from "../hook.ts";
import { approvalText, fittingOutput } from "../hook-output.ts";

/**
 * Copilot CLI sends its own events in camel case. A hook that is configured under one of Claude Code's event names
 * receives that event in snake case.
 */
export const copilotCliHook: AgentHook = {
  decode(event, { home, environment }) {
    const { hook_event_name: name, tool_name: tool, toolName, cwd } = event;
    const isOwn = toolName !== undefined || (name === "PreToolUse" && tool === "exit_plan_mode");
    if (!isOwn || (toolName ?? tool) !== "exit_plan_mode") return undefined;
    const session = event.sessionId ?? event.session_id;
    const copilotHome = environment["COPILOT_HOME"]?.trim() || join(home, ".copilot");
    const folder = session === undefined ? undefined : join(copilotHome, "session-state", basename(session));
    const plan: PlanLocation = folder ? { in: "file", path: join(folder, "plan.md") } : { in: "nowhere" };
    if (event.toolResult !== undefined)
      return {
        kind: "approved",
        plan,
        notes: copilotNotes,
        caller: copilotPreToolUse.callerName,
        agentSession: session,
        cwd,
      };
    const transcript = folder === undefined ? undefined : { path: join(folder, "events.jsonl"), endsTurn };
    return { kind: "hook", channel: copilotPreToolUse, plan, agentSession: session, transcript, cwd };
  },
};

const ENDS_TURN: ReadonlySet<unknown> = new Set(["abort", "user.message", "session.shutdown"]);

/**
 * Reports whether an event ends the turn. After Ctrl-C, or Escape twice, Copilot CLI 1.0.102 appends an event
 * of the type `abort` and leaves its hook running.
 */
function endsTurn({ type }: Readonly<Record<string, unknown>>): boolean {
  return ENDS_TURN.has(type);
}

/** Measured: output of 252,000 bytes is read; output of 630,000 bytes is ignored without an error. */
const LIMIT = { agent: "Copilot CLI", bytes: 250_000 } as const;

/**
 * Encodes decisions for Copilot CLI's `preToolUse` hook on exit_plan_mode, tested with 1.0.102. After an
 * allow, Copilot CLI still shows its own menu. `copilotNotes` sends feedback and an edited plan once the
 * person has also accepted in that menu.
 */
export const copilotPreToolUse: AgentChannel = {
  callerName: "Copilot CLI",
  takes: {
    approvalNote: "feedback",
    takesEditedPlan: true,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  failureDenies: true,
  encode: (decision) =>
    decision.kind === "approve"
      ? JSON.stringify({ permissionDecision: "allow" })
      : fittingOutput(decision.feedback ?? DEFAULT_DENIAL, decision, LIMIT, (permissionDecisionReason) =>
          JSON.stringify({ permissionDecision: "deny", permissionDecisionReason }),
        ),
};

/** Encodes the text of an approval for `postToolUse` on exit_plan_mode. */
export const copilotNotes: NotesEncoder = (decision) => {
  const text = approvalText(decision);
  if (text === undefined) return undefined;
  return fittingOutput(text, decision, LIMIT, (additionalContext) => JSON.stringify({ additionalContext }));
};
