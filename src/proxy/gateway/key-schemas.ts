import { z } from "zod";
import { budgetSchema, captureSchema, count, keyLimitsSchema } from "../../config/proxy/limits.ts";
import { TIME_SPAN } from "./time-span.ts";

/** The schemas of virtual keys and teams, for the admin API and the command line. */

const name = z
  .string()
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N} ._@:+/-]{0,126}[\p{L}\p{N}])?$/u,
    "must be 1 to 128 letters, digits, spaces and ._@:+/- and begin and end with a letter or digit",
  );
const modelPattern = z.string().min(1).max(256);
const mcpPatterns = z
  .array(z.string().min(1).max(256))
  .min(1)
  .nullish()
  .describe("MCP servers and tools, as NAME or NAME/TOOL with patterns; null allows all.");
const tags = z.record(z.string().min(1).max(64), z.string().max(256));

export const ROLES = ["user", "metrics", "admin"] as const;

/** `null` removes a limit; an absent limit stays unchanged. */
const limitsPatch = z.strictObject({
  rpm: count.nullish(),
  tpm: count.nullish(),
  concurrency: count.nullish(),
  budgets: z.array(budgetSchema).max(8).nullish(),
});

const expiresAt = z.iso.datetime({ offset: true });
const isLater = (iso: string) => Date.parse(iso) > Date.now();
const capture = captureSchema
  .nullish()
  .describe("Which of its calls' bodies are kept; null: as set in `proxy.capture`.");

export const newKeySchema = z.strictObject({
  name,
  team: name.nullish(),
  models: z.array(modelPattern).min(1).nullish().describe("Name patterns; null allows every model."),
  mcp: mcpPatterns,
  tags: tags.optional(),
  role: z.enum(ROLES).optional(),
  expires_at: expiresAt.refine(isLater, "must be in the future").nullish(),
  limits: keyLimitsSchema.optional(),
  capture,
});

export const keyPatchSchema = z.strictObject({
  name: name.optional(),
  team: name.nullish(),
  models: z.array(modelPattern).min(1).nullish(),
  mcp: mcpPatterns,
  tags: tags.optional(),
  role: z.enum(ROLES).optional(),
  expires_at: expiresAt.nullish(),
  limits: limitsPatch.optional(),
  capture,
});

export const rotationSchema = z.strictObject({
  grace: z
    .string()
    .regex(TIME_SPAN, "must be a number of at most six digits and s, m, h or d, such as 24h")
    .optional()
    .describe("How long earlier secrets stay valid at most; by default, they become invalid immediately."),
});

export const newTeamSchema = z.strictObject({
  name,
  tags: tags.optional(),
  limits: keyLimitsSchema.optional(),
});

export const teamPatchSchema = z.strictObject({
  tags: tags.optional(),
  limits: limitsPatch.optional(),
});

export type Limits = z.output<typeof keyLimitsSchema>;
export type LimitsPatch = z.output<typeof limitsPatch>;
export type NewKey = z.output<typeof newKeySchema>;
export type KeyPatch = z.output<typeof keyPatchSchema>;
export type NewTeam = z.output<typeof newTeamSchema>;
export type TeamPatch = z.output<typeof teamPatchSchema>;
export type Role = (typeof ROLES)[number];

/** A key as the admin API returns it. Times are ISO 8601. */
export interface VirtualKey {
  readonly id: string;
  readonly name: string;
  readonly team: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly models: readonly string[] | null;
  readonly mcp: readonly string[] | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly role: Role;
  readonly limits: Limits;
  readonly capture: z.output<typeof captureSchema> | null;
  readonly source: "database" | "config";
}

export interface Team {
  readonly name: string;
  readonly created_at: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly limits: Limits;
}

/** Returns the limits after a patch: its values replace limits, and its nulls remove them. */
export function patchLimits(limits: Limits, patch: LimitsPatch): Limits {
  const merged = Object.entries({ ...limits, ...patch }).filter(([, value]) => value != null);
  return keyLimitsSchema.parse(Object.fromEntries(merged));
}
