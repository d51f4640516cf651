import type { Turn } from "./request.ts";

/** Joins neighbouring turns of one role, for dialects that want roles to alternate. They know no names of authors. */
export function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const before = merged.at(-1);
    if (before === undefined || before.role !== turn.role) {
      merged.push(turn);
      continue;
    }
    merged[merged.length - 1] = { role: turn.role, parts: [...before.parts, ...turn.parts] };
  }
  return merged;
}
