import { z } from "zod";
import type { HookEvent } from "./hook.ts";

const text = z.string();

/** A member that counts as missing where it is of another kind: an event must not become a text for that. */
const member = text.optional().catch(undefined);

/** Other members come and go with the agents' versions. */
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

/** Returns the event, or undefined where the value is none: an event names itself, its tool, or its tool's input. */
export function parseEvent(value: unknown): HookEvent | undefined {
  const result = hookEvent.safeParse(value);
  if (!result.success) return undefined;
  const { hook_event_name: name, tool_input: input, toolName } = result.data;
  return name !== undefined || input !== undefined || toolName !== undefined ? result.data : undefined;
}
