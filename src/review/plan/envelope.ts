import { z } from "zod";
import { plainIssue } from "../../config/plain-issue.ts";
import { AppError } from "../../errors.ts";
import { FIRST_ISSUE } from "../../json/first-issue.ts";
import { listedAgent } from "../agents.ts";
import { ORIGIN_NAMES, originNamed } from "../origin-names.ts";

const text = z.string();

const origin = text.transform((name, context) => {
  const known = originNamed(name);
  if (known) return known;
  context.addIssue(`must be ${ORIGIN_NAMES}, got "${name}"`);
  return z.NEVER;
});

const envelope = z.object({
  plan: text,
  origin: origin.exactOptional(),
  permissionMode: text.exactOptional(),
  agents: z.array(listedAgent).exactOptional(),
  sharingEnabled: z.boolean().exactOptional(),
  cwd: text.exactOptional(),
});

export type Envelope = z.infer<typeof envelope>;

/**
 * Parses an envelope. Returns undefined for a value without a plan. Throws `input` for an invalid member, rather
 * than showing the JSON as a plan.
 */
export function parseEnvelope(value: unknown): Envelope | undefined {
  if (typeof value !== "object" || value === null || !("plan" in value)) return undefined;
  const result = envelope.safeParse(value, { ...FIRST_ISSUE, error: plainIssue });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new AppError("input", `The envelope's ${issue?.path.join(".") || "members"}: ${issue?.message}`, {
    hint: 'Expected {"plan": "…", "origin"?, "permissionMode"?, "agents"?, "sharingEnabled"?, "cwd"?}.',
  });
}
