import { DEFAULT_DENIAL, type ReplyChannel } from "./channel.ts";

/** Codex CLI's `Stop` hook after a proposed plan; a block starts another turn with the reason as its prompt. */
export const codexStop: ReplyChannel = {
  callerName: "Codex CLI",
  takes: {
    approvalNote: "none",
    takesEditedPlan: false,
    takesPermissionMode: false,
    takesAgentSwitch: false,
  },
  encode: ({ kind, feedback }) =>
    JSON.stringify(kind === "approve" ? {} : { decision: "block", reason: feedback ?? DEFAULT_DENIAL }),
};

/**
 * The plan of a Codex transcript (JSON lines): the last finished item of type Plan, of that turn where one is
 * named. The hook's own `last_assistant_message` has the plan taken out.
 */
export function planInTranscript(transcript: string, turnId: string | undefined): string | undefined {
  let plan: string | undefined;
  for (const line of transcript.split("\n")) {
    if (!line.includes('"item_completed"')) continue;
    const item = planItem(line);
    if (item && (turnId === undefined || item.turnId === undefined || item.turnId === turnId))
      plan = item.text;
  }
  return plan;
}

function planItem(line: string): { text: string; turnId: string | undefined } | undefined {
  try {
    const { payload } = JSON.parse(line);
    if (payload?.type !== "item_completed" || payload.item?.type !== "Plan") return undefined;
    if (typeof payload.item.text !== "string") return undefined;
    return {
      text: payload.item.text,
      turnId: typeof payload.turn_id === "string" ? payload.turn_id : undefined,
    };
  } catch {
    return undefined;
  }
}
