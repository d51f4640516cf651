import type { PlanAnnotation, Round } from "../../../src/review/api-types.ts";

/**
 * The notes of an earlier round that are worth showing beside those of this one: all that were sent, as what was
 * asked for; of those that never were, only what this round's notes do not hold already.
 */
export function pastNotes(past: Round, current: readonly PlanAnnotation[]): readonly PlanAnnotation[] {
  if (past.decision) return past.decision.annotations ?? [];
  const known = new Set(current.map(({ id }) => id));
  return notesOf(past.draft?.content).filter(
    ({ id }) => !known.has(id) && !known.has(askedAgainId(id, past)),
  );
}

/** What a note of an earlier round is called when it is asked for again, so that it is added once. */
export function askedAgainId(id: string, { round }: Round): string {
  return `${id}-again-${round}`;
}

/** The notes of a draft, which is this page's own but may be of an older build. */
function notesOf(content: unknown): readonly PlanAnnotation[] {
  if (typeof content !== "object" || content === null || !("annotations" in content)) return [];
  return Array.isArray(content.annotations) ? content.annotations : [];
}
