import { createHash } from "node:crypto";
import type { AgentOrigin } from "../api-types.ts";

/** Who asks for the review of a plan, and where: the same text from elsewhere is another plan. */
export interface PlanSource {
  /** The project's folder, absolute. */
  readonly folder: string;
  readonly origin: AgentOrigin;
  /** The agent's name, as in `Caller.name`. */
  readonly caller: string;
}

/**
 * Returns what identifies a plan: its text, the project's folder and the agent. The same plan finds its draft again in any
 * later process, and another project or agent never sees it.
 */
export function planIdOf(plan: string, { folder, origin, caller }: PlanSource): string {
  const parts = [folder, origin, caller, plan];
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);
}
