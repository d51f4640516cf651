import { z } from "zod";

/**
 * Returns the plan in a Codex transcript (JSON lines): the last completed item of type Plan, limited to the given
 * turn if `turnId` is set. The hook's own `last_assistant_message` lacks the plan. A denial continues within the same
 * turn, so a hook prompt or user message after a plan marks the plan as handled.
 */
export function planInTranscript(transcript: string, turnId: string | undefined): string | undefined {
  let plan: string | undefined;
  for (const line of transcript.split("\n")) {
    const item = line.includes('"item_completed"') ? completedItem(line) : undefined;
    if (!item || (turnId !== undefined && item.turnId !== undefined && item.turnId !== turnId)) continue;
    if (item.type === "Plan") plan = item.text;
    else if (item.type === "HookPrompt" || item.type === "UserMessage") plan = undefined;
  }
  return plan;
}

const completed = z.object({
  payload: z.object({
    type: z.literal("item_completed"),
    turn_id: z.string().optional(),
    item: z.object({ type: z.string(), text: z.string().optional().catch(undefined) }),
  }),
});

function completedItem(
  line: string,
): { type: string; text: string | undefined; turnId: string | undefined } | undefined {
  try {
    const { turn_id: turnId, item } = completed.parse(JSON.parse(line)).payload;
    return { type: item.type, text: item.text, turnId };
  } catch {
    return undefined;
  }
}
