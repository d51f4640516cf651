import type { LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Turn } from "../../exchange/request.ts";

/**
 * Converts a system message within the conversation to a user message whose text is marked by `<system>`, and adds a
 * loss. Returns any other turn unchanged.
 */
export function markSystemTurn(turn: Turn, list: LossList): Turn {
  if (turn.role !== "system") return turn;
  list.add(
    "system-position",
    "System message within the conversation sent as a marked part of a user message.",
  );
  const parts = turn.parts.map(
    (part): Part => (part.type === "text" ? { ...part, text: `<system>\n${part.text}\n</system>` } : part),
  );
  return { role: "user", parts };
}

/**
 * Converts all system messages within the conversation (`markSystemTurn`), and merges each with the user messages
 * directly before and after it.
 */
export function mergeSystemTurns(turns: readonly Turn[], list: LossList): readonly Turn[] {
  const merged: Turn[] = [];
  /** Whether the last of `merged` contains a system message. */
  let isMarked = false;
  for (const turn of turns) {
    const before = merged.at(-1);
    const isSystem = turn.role === "system";
    const marked = markSystemTurn(turn, list);
    if (before?.role === "user" && marked.role === "user" && (isSystem || isMarked)) {
      const name = before.name ?? turn.name;
      const parts = [...before.parts, ...marked.parts];
      merged[merged.length - 1] = { role: "user", parts, ...(name !== undefined && { name }) };
      isMarked = true;
    } else {
      merged.push(marked);
      isMarked = isSystem;
    }
  }
  return merged;
}
