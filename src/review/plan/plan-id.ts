import { createHash } from "node:crypto";

/** What identifies a plan: its content, and nothing else. The same text finds its draft again in any later process. */
export function planIdOf(plan: string): string {
  return createHash("sha256").update(plan).digest("hex").slice(0, 32);
}
