import { createHash } from "node:crypto";
import type { AgentOrigin } from "../api-types.ts";

/** The project and agent that a plan comes from. The same text from another source is another plan. */
export interface PlanSource {
  /** Absolute path of the project. */
  readonly folder: string;
  readonly origin: AgentOrigin;
  /** The agent's name, as in `Caller.name`. */
  readonly caller: string;
}

/**
 * Returns the id of a plan: a hash of its text, project folder and agent. The same plan has the same draft in any later
 * process.
 */
export function createPlanId(plan: string, { folder, origin, caller }: PlanSource): string {
  const parts = [folder, origin, caller, plan];
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);
}
