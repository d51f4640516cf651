import type { AgentOrigin } from "../review/api-types.ts";
import type { PlanDecision } from "../review/decision.ts";
import type { AgentChannel } from "../review/plan/agent-channel.ts";

/** The members of all agents' hook events that Sallyport uses; see hook-event.ts. */
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
  /** Set only in Copilot CLI's event of a tool that has run. */
  readonly toolResult?: unknown;
}

/** The base of the folders in which agents keep files that their events refer to. */
export interface AgentFolders {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Decodes the events of one agent's hook. */
export interface AgentHook {
  /** Returns what an event requests, or undefined for another agent's event or one that does not concern a plan. */
  decode(event: HookEvent, folders: AgentFolders): HookInput | ApprovedInput | undefined;
}

/** A file to which an agent appends its session, one JSON object per line. */
export interface AgentTranscript {
  readonly path: string;
  /** Reports whether an entry that is newer than the hook shows that the agent no longer waits for the hook. */
  endsTurn(entry: Readonly<Record<string, unknown>>): boolean;
}

/** A plan to review, and how its agent receives the decision. */
export interface HookInput {
  readonly kind: "hook";
  readonly plan: PlanLocation;
  /** Whether the agent also sends this event without a plan, in which case there is nothing to review. */
  readonly planIsOptional?: true | undefined;
  readonly channel: AgentChannel;
  readonly origin?: AgentOrigin | undefined;
  readonly permissionMode?: string | undefined;
  /** The tool call's input without the plan, if an approval returns it to the agent. */
  readonly requested?: Readonly<Record<string, unknown>> | undefined;
  readonly cwd?: string | undefined;
  /** The agent's session, if the event names it. */
  readonly agentSession?: string | undefined;
  /** The agent's transcript, for agents that may leave their hook running. */
  readonly transcript?: AgentTranscript | undefined;
}

/**
 * Input after the tool of an approved plan has run, when the agent accepts text that the approval could not carry.
 */
export interface ApprovedInput {
  readonly kind: "approved";
  readonly plan: PlanLocation;
  readonly notes: NotesEncoder;
  /** The agent's name, as in the reviews of its plans. */
  readonly caller: string;
  /** The agent's session, if the event names it. */
  readonly agentSession?: string | undefined;
  readonly cwd?: string | undefined;
}

/** Encodes the text of an approval for an agent whose tool has run. Returns undefined if there is no text. */
export type NotesEncoder = (decision: PlanDecision) => string | undefined;

/** The location of a plan. Some agents keep the plan in a file and do not send its text. */
export type PlanLocation =
  | { readonly in: "event"; readonly text: string }
  | { readonly in: "nowhere"; readonly reason?: string | undefined }
  | {
      readonly in: "file";
      readonly path: string;
      /** Finds the plan in the file's text. If absent, the whole file is the plan. */
      readonly extract?: ((text: string) => Promise<string | undefined>) | undefined;
      /** Whether the agent reads the file again after the decision. */
      readonly isReadAgain?: true | undefined;
    };

/** Returns the plan in the tool's input. */
export function planInEvent({ tool_input: input }: HookEvent): PlanLocation {
  const plan = input?.["plan"];
  return typeof plan === "string" && plan.trim() ? { in: "event", text: plan } : { in: "nowhere" };
}
