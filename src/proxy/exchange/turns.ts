import type { Part } from "./parts.ts";
import type { Turn } from "./request.ts";
import { mapInSteps, type Steps } from "./steps.ts";

/** Converts each part of the turns, with pauses. */
export function* mapParts(turns: readonly Turn[], convert: (part: Part) => Part): Steps<Turn[]> {
  const mapped: Turn[] = [];
  for (const turn of turns) mapped.push({ ...turn, parts: yield* mapInSteps(turn.parts, convert) });
  return mapped;
}

/**
 * Merges adjacent turns of the same role, for dialects whose roles must alternate. A merged turn has no `name`, because
 * these dialects do not support it.
 */
export function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  /** The parts of the last turn if it was merged from several. */
  let joined: Part[] | undefined;
  for (const turn of turns) {
    const before = merged.at(-1);
    if (before === undefined || before.role !== turn.role) {
      merged.push(turn);
      joined = undefined;
      continue;
    }
    if (joined === undefined) {
      joined = [...before.parts];
      merged[merged.length - 1] = { role: turn.role, parts: joined };
    }
    for (const part of turn.parts) joined.push(part);
  }
  return merged;
}
