import { z } from "zod";
import type { HookEvent } from "./hook.ts";

const text = z.string();

/** Treats a member that is not a string as missing: if parsing failed, the event would be read as Markdown. */
const member = text.optional().catch(undefined);

/** Other members are allowed, because they differ between versions of the agents. */
const hookEvent = z.object({
  hook_event_name: member,
  tool_name: member,
  tool_input: z.record(text, z.unknown()).optional().catch(undefined),
  permission_mode: member,
  cwd: member,
  transcript_path: member,
  turn_id: member,
  session_id: member,
  toolName: member,
  sessionId: member,
  toolResult: z.unknown().optional(),
}) satisfies z.ZodType<HookEvent>;

/**
 * Returns the event, or undefined if the value is not an event: it must have an event name, a tool name in camel
 * case, or a tool input.
 */
export function parseEvent(value: unknown): HookEvent | undefined {
  const result = hookEvent.safeParse(value);
  if (!result.success) return undefined;
  const { hook_event_name: name, tool_input: input, toolName } = result.data;
  return name !== undefined || input !== undefined || toolName !== undefined ? result.data : undefined;
}
