import type { Turn } from "./request.ts";

/** Joins neighbouring turns of one role, for dialects that want roles to alternate. Names are kept where they agree. */
export function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const before = merged.at(-1);
    if (before === undefined || before.role !== turn.role) {
      merged.push(turn);
      continue;
    }
    const parts = [...before.parts, ...turn.parts];
    merged[merged.length - 1] =
      before.name !== undefined && before.name === turn.name
        ? { role: turn.role, name: turn.name, parts }
        : { role: turn.role, parts };
  }
  return merged;
}
