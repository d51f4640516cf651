import type { Finish } from "./response.ts";

const CUT_OFF: ReadonlySet<Finish["unified"]> = new Set([
  "length",
  "context-overflow",
  "content-filter",
  "refusal",
]);

/**
 * Returns whether a response can end within a tool call, whose arguments are then incomplete: a limit or the vendor's
 * content filter has ended it.
 */
export function isCutOff({ unified }: Pick<Finish, "unified">): boolean {
  return CUT_OFF.has(unified);
}
