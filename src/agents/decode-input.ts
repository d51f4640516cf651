import type { AgentOrigin } from "../review/api-types.ts";
import { type Envelope, type HookEvent, parseEnvelope, parseEvent } from "../review/plan/input-schemas.ts";
import type { NotesEncoder, ReplyChannel } from "../review/plan/reply-channel.ts";
import { claudePermissionRequest, claudePreToolUse } from "./claude-code/hook.ts";
import { codexStop } from "./codex/hook.ts";
import { copilotNotes, copilotPreToolUse } from "./copilot-cli/hook.ts";
import { geminiBeforeTool } from "./gemini-cli/hook.ts";
import { qwenNotes, qwenPermissionRequest } from "./qwen-code/hook.ts";

/** What came in, told apart by its shape alone. */
export type DecodedInput =
  | HookInput
  | { readonly kind: "envelope"; readonly envelope: Envelope }
  | { readonly kind: "markdown"; readonly plan: string }
  /** An approved plan's tool has run: the moment for words that the approval itself could not carry. */
  | {
      readonly kind: "approved";
      readonly plan: PlanLocation;
      readonly notes: NotesEncoder;
      /** The agent's name, as the reviews of its plans have it. */
      readonly caller: string;
      readonly cwd?: string;
    }
  /** An agent's event that has nothing to do with a plan: to be left to the agent. */
  | { readonly kind: "unrelated"; readonly event: string };

export interface HookInput {
  readonly kind: "hook";
  readonly plan: PlanLocation;
  readonly channel: ReplyChannel;
  readonly origin?: AgentOrigin;
  readonly permissionMode?: string;
  /** What the tool call holds besides the plan, where it goes back to the agent with an approval. */
  readonly requested?: Readonly<Record<string, unknown>>;
  readonly cwd?: string;
  /** The agent's session, where it names one. */
  readonly agentSession?: string;
  /** The agent's record of the conversation, of agents that may leave their hook running. */
  readonly transcript?: Transcript;
}

/** Where an agent writes the conversation down as it goes on. */
export type Transcript = { readonly path: string } | { readonly copilotSession: string };

/** Where the plan is; some agents keep it in a file and say only which. */
export type PlanLocation =
  | { readonly in: "event"; readonly text: string }
  | { readonly in: "nowhere" }
  | { readonly in: "gemini-plans"; readonly filename: string }
  | { readonly in: "codex-transcript"; readonly path: string; readonly turnId?: string }
  | { readonly in: "copilot-session"; readonly sessionId: string };

/**
 * Tells hook event, envelope and Markdown apart. Pure. Text that only begins like JSON, and JSON that is neither
 * event nor envelope, is Markdown.
 */
export function decodeInput(text: string): DecodedInput {
  const source = text.replace(/^\ufeff/, "");
  const value = parseObject(source);
  const event = value === undefined ? undefined : parseEvent(value);
  if (event) return decodeEvent(event);
  const envelope = value === undefined ? undefined : parseEnvelope(value);
  return envelope ? { kind: "envelope", envelope } : { kind: "markdown", plan: source };
}

function parseObject(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decodeEvent(event: HookEvent): DecodedInput {
  const { hook_event_name: name, tool_name: tool } = event;
  const cwd = event.cwd === undefined ? {} : { cwd: event.cwd };
  if (name === "BeforeTool") {
    if (tool !== "exit_plan_mode") return unrelated(event);
    const path = event.transcript_path;
    const transcript = path === undefined ? {} : { transcript: { path } };
    return {
      kind: "hook",
      channel: geminiBeforeTool,
      plan: geminiPlan(event),
      ...sessionOf(event),
      ...transcript,
      ...cwd,
    };
  }
  if (name === "Stop") {
    if (event.transcript_path === undefined) return unrelated(event);
    const turn = event.turn_id === undefined ? {} : { turnId: event.turn_id };
    const plan = { in: "codex-transcript", path: event.transcript_path, ...turn } as const;
    return { kind: "hook", channel: codexStop, plan, ...sessionOf(event), ...cwd };
  }
  if (event.toolName !== undefined || (name === "PreToolUse" && tool === "exit_plan_mode")) {
    if ((event.toolName ?? tool) !== "exit_plan_mode") return unrelated(event);
    const plan = copilotPlan(event);
    const { callerName: caller } = copilotPreToolUse;
    if (event.toolResult !== undefined)
      return { kind: "approved", plan, notes: copilotNotes, caller, ...cwd };
    const session = sessionOf(event);
    const { agentSession: id } = session;
    const transcript = id === undefined ? {} : { transcript: { copilotSession: id } };
    return { kind: "hook", channel: copilotPreToolUse, plan, ...session, ...transcript, ...cwd };
  }
  if (tool === "exit_plan_mode") return decodeQwen(event);
  return decodeClaude(event);
}

/** Claude Code's events under the name that the tool has in Gemini CLI. */
function decodeQwen(event: HookEvent): DecodedInput {
  const { hook_event_name: name } = event;
  const cwd = event.cwd === undefined ? {} : { cwd: event.cwd };
  const plan = planInEvent(event);
  const { callerName: caller } = qwenPermissionRequest;
  if (name === "PostToolUse") return { kind: "approved", plan, notes: qwenNotes, caller, ...cwd };
  if (name !== "PermissionRequest") return unrelated(event);
  return { kind: "hook", channel: qwenPermissionRequest, plan, ...sessionOf(event), ...cwd };
}

/** What of Claude Code asks before the tool runs; an event without a name is one that somebody wrote by hand. */
const CLAUDE_ASKS = new Set([undefined, "PermissionRequest", "PreToolUse"]);

function decodeClaude(event: HookEvent): DecodedInput {
  const toolInput = event.tool_input ?? {};
  const isPlan =
    event.tool_name === "ExitPlanMode" ||
    (event.tool_name === undefined && typeof toolInput["plan"] === "string");
  if (!isPlan || !CLAUDE_ASKS.has(event.hook_event_name)) return unrelated(event);
  const { plan: _plan, ...requested } = toolInput;
  const encoder = event.hook_event_name === "PreToolUse" ? claudePreToolUse : claudePermissionRequest;
  return {
    kind: "hook",
    channel: encoder(toolInput),
    origin: "origin_a",
    plan: planInEvent(event),
    ...sessionOf(event),
    ...(Object.keys(requested).length === 0 ? {} : { requested }),
    ...(event.permission_mode === undefined ? {} : { permissionMode: event.permission_mode }),
    ...(event.cwd === undefined ? {} : { cwd: event.cwd }),
  };
}

function sessionOf({ session_id: id, sessionId }: HookEvent): { readonly agentSession?: string } {
  const session = sessionId ?? id;
  return session === undefined ? {} : { agentSession: session };
}

function planInEvent({ tool_input: input }: HookEvent): PlanLocation {
  const plan = input?.["plan"];
  return typeof plan === "string" && plan.trim() ? { in: "event", text: plan } : { in: "nowhere" };
}

function geminiPlan({ tool_input: input }: HookEvent): PlanLocation {
  const filename = input?.["plan_filename"] ?? input?.["plan_path"];
  return typeof filename === "string" ? { in: "gemini-plans", filename } : { in: "nowhere" };
}

function copilotPlan({ sessionId, session_id: snake }: HookEvent): PlanLocation {
  const id = sessionId ?? snake;
  return id === undefined ? { in: "nowhere" } : { in: "copilot-session", sessionId: id };
}

function unrelated({ hook_event_name: name, tool_name: tool, toolName }: HookEvent): DecodedInput {
  return { kind: "unrelated", event: [name, tool ?? toolName].filter(Boolean).join(" ") || "unnamed" };
}
