import { readFile } from "node:fs/promises";
import { type Envelope, parseEnvelope } from "../review/plan/envelope.ts";
import type { AgentFolders, ApprovedInput, HookEvent, HookInput, PlanLocation } from "./hook.ts";
import { parseEvent } from "./hook-event.ts";
import { agents } from "./registry.ts";

/** Decoded input. The form of the input decides its `kind`. */
export type DecodedInput =
  | HookInput
  | ApprovedInput
  | { readonly kind: "envelope"; readonly envelope: Envelope }
  | { readonly kind: "markdown"; readonly plan: string }
  /** An agent's event that does not concern a plan; the agent handles it itself. */
  | { readonly kind: "unrelated"; readonly event: string };

/**
 * Decodes a hook event, an envelope or Markdown. Text that begins like JSON but is not valid, and JSON that is
 * neither event nor envelope, is Markdown.
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

/**
 * The plan's text and, if the agent reads the file again, its path; or why the plan is missing, as a message for the
 * person.
 */
export type LoadedPlan =
  | { readonly plan: string; readonly file?: string | undefined }
  | { readonly missing: string };

const NO_PLAN = "The agent asked for a review without sending a plan.";

/** Reads the plan from its location. Never rejects: the page shows what is missing. */
export async function loadPlan(location: PlanLocation): Promise<LoadedPlan> {
  if (location.in === "event") return { plan: location.text };
  if (location.in === "nowhere")
    return { missing: location.reason === undefined ? NO_PLAN : `${NO_PLAN} ${location.reason}` };
  const { path, extract, isReadAgain } = location;
  try {
    const text = await readFile(path, "utf8");
    const plan = extract ? await extract(text) : text;
    if (!plan?.trim()) return { missing: `There is no plan in ${path}.` };
    return isReadAgain ? { plan, file: path } : { plan };
  } catch {
    return { missing: `Cannot read the plan from ${path}.` };
  }
}
