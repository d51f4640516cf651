import type { Part } from "../../exchange/parts.ts";

/** The channel a message was said on (`commentary`, `final_answer`), where this dialect's own model said so. */
export function phaseOf(part: Part): unknown {
  const raw = part.origin?.dialect === "responses" ? part.origin.raw : undefined;
  return typeof raw === "object" && raw !== null && "phase" in raw ? raw.phase : undefined;
}
