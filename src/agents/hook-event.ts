import { z } from "zod";
import type { HookEvent } from "./hook.ts";

const text = z.string();

/** Treats a member that is not a string as missing: if parsing failed, the event would be read as Markdown. */
const member = text.optional().catch(undefined);

/** The members of a hook event that are read. All others are ignored, because they differ between agents' versions. */
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
 * Returns the event, or undefined if the value is not an event: an event has at least one of `hook_event_name`,
 * `tool_input` and `toolName`.
 */
export function parseEvent(value: unknown): HookEvent | undefined {
  const result = hookEvent.safeParse(value);
  if (!result.success) return undefined;
  const { hook_event_name: name, tool_input: input, toolName } = result.data;
  return name !== undefined || input !== undefined || toolName !== undefined ? result.data : undefined;
}
