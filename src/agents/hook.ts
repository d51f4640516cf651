import type { AgentOrigin } from "../review/api-types.ts";
import type { PlanDecision } from "../review/decision.ts";
import type { AgentChannel } from "../review/plan/agent-channel.ts";

/** The members of all agents' hook events that matter here; see hook-event.ts. */
export interface HookEvent {
  readonly hook_event_name?: string | undefined;
  readonly tool_name?: string | undefined;
  readonly tool_input?: Readonly<Record<string, unknown>> | undefined;
  readonly permission_mode?: string | undefined;
  readonly cwd?: string | undefined;
  readonly transcript_path?: string | undefined;
  readonly turn_id?: string | undefined;
  readonly session_id?: string | undefined;
  /** Copilot CLI writes its own events in camel case. */
  readonly toolName?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Only in its event of a tool that has run. */
  readonly toolResult?: unknown;
}

/** Where agents keep the files that their events only point at. */
export interface AgentFolders {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The events of one agent's hook. */
export interface AgentHook {
  /** Returns what an event asks for; undefined for an event of another agent or one that has nothing to do with a plan. Pure. */
  decode(event: HookEvent, folders: AgentFolders): HookInput | ApprovedInput | undefined;
}

/** A plan to review, and how its agent takes the decision. */
export interface HookInput {
  readonly kind: "hook";
  readonly plan: PlanLocation;
  /** Whether the agent sends this event without a plan too: then there is nothing to review. */
  readonly mayLackPlan?: true | undefined;
  readonly channel: AgentChannel;
  readonly origin?: AgentOrigin | undefined;
  readonly permissionMode?: string | undefined;
  /** What the tool call holds besides the plan, where it goes back to the agent with an approval. */
  readonly requested?: Readonly<Record<string, unknown>> | undefined;
  readonly cwd?: string | undefined;
  /** The agent's session, where it names one. */
  readonly agentSession?: string | undefined;
  /** The file in which the agent records the conversation, of agents that may leave their hook running. */
  readonly transcript?: string | undefined;
}

/** An approved plan's tool has run: the moment for text that the approval itself could not carry. */
export interface ApprovedInput {
  readonly kind: "approved";
  readonly plan: PlanLocation;
  readonly notes: NotesEncoder;
  /** The agent's name, as the reviews of its plans have it. */
  readonly caller: string;
  readonly cwd?: string | undefined;
}

/** Encodes the text of an approval for an agent whose tool has run; undefined where there is none. */
export type NotesEncoder = (decision: PlanDecision) => string | undefined;

/** Where the plan is; some agents keep it in a file and name only that. */
export type PlanLocation =
  | { readonly in: "event"; readonly text: string }
  | { readonly in: "nowhere"; readonly reason?: string | undefined }
  | {
      readonly in: "file";
      readonly path: string;
      /** Finds the plan in the file's text; without it, the plan is all of it. */
      readonly extract?: ((text: string) => Promise<string | undefined>) | undefined;
      /** Whether the agent reads the file again after the decision. */
      readonly isReadAgain?: true | undefined;
    };

/** Returns the plan in the tool's input. */
export function planInEvent({ tool_input: input }: HookEvent): PlanLocation {
  const plan = input?.["plan"];
  return typeof plan === "string" && plan.trim() ? { in: "event", text: plan } : { in: "nowhere" };
}
