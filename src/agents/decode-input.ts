import { type Envelope, parseEnvelope } from "../review/plan/envelope.ts";
import type { AgentFolders, ApprovedInput, HookEvent, HookInput } from "./hook.ts";
import { parseEvent } from "./hook-event.ts";
import { agents } from "./registry.ts";

/** Decoded input. Its kind is recognized by its form alone. */
export type DecodedInput =
  | HookInput
  | ApprovedInput
  | { readonly kind: "envelope"; readonly envelope: Envelope }
  | { readonly kind: "markdown"; readonly plan: string }
  /** An agent's event that does not concern a plan; the agent handles it itself. */
  | { readonly kind: "unrelated"; readonly event: string };

/**
 * Decodes a hook event, an envelope or Markdown. Text that begins like JSON but is not valid, and JSON that is
 * neither event nor envelope, is Markdown. Pure.
 */
export function decodeInput(text: string, folders: AgentFolders): DecodedInput {
  const source = text.replace(/^\ufeff/, "");
  const value = parseObject(source);
  const event = value === undefined ? undefined : parseEvent(value);
  if (event) return decodeEvent(event, folders);
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

function decodeEvent(event: HookEvent, folders: AgentFolders): DecodedInput {
  for (const { hook } of agents) {
    const decoded = hook?.decode(event, folders);
    if (decoded) return decoded;
  }
  const { hook_event_name: name, tool_name: tool, toolName } = event;
  return { kind: "unrelated", event: [name, tool ?? toolName].filter(Boolean).join(" ") || "unnamed" };
}
