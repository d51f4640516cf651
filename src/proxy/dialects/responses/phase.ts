import type { Part } from "../../exchange/parts.ts";

/** Returns the phase of a part's message (`commentary` or `final_answer`); undefined if it has none. */
export function getPhase(part: Part): unknown {
  const raw = part.origin?.dialect === "responses" ? part.origin.raw : undefined;
  return typeof raw === "object" && raw !== null && "phase" in raw ? raw.phase : undefined;
}
