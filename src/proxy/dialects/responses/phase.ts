import type { Part } from "../../exchange/parts.ts";

/** Returns the channel of a message (`commentary`, `final_answer`); undefined if the vendor sent none. */
export function getPhase(part: Part): unknown {
  const raw = part.origin?.dialect === "responses" ? part.origin.raw : undefined;
  return typeof raw === "object" && raw !== null && "phase" in raw ? raw.phase : undefined;
}
