import { z } from "zod";
import { budgetSchema, captureSchema, keyLimitsSchema } from "../../config/proxy/limits.ts";
import { capturedSchema } from "./captures.ts";
import { ROLES } from "./key-schemas.ts";
import { USAGE_COLUMNS } from "./usage-groups.ts";

/** The schemas of the responses of the admin API and of the API of a key's own calls. */

const time = z.iso.datetime();
const text = z.string().nullable();

export const keySchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  team: text,
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  models: z.array(z.string()).nullable(),
  mcp: z.array(z.string()).nullable(),
  tags: z.record(z.string(), z.string()),
  role: z.enum(ROLES),
  limits: keyLimitsSchema,
  capture: captureSchema.nullable(),
  source: z.enum(["database", "config"]),
});

export const teamSchema = z.strictObject({
  name: z.string(),
  created_at: time,
  tags: z.record(z.string(), z.string()),
  limits: keyLimitsSchema,
});

const tokens = z.number().int();
export const callSchema = z.object({
  id: z.string().describe("Equals the response's x-sallyport-request-id."),
  time,
  key_id: text,
  key: text,
  team: text,
  tags: z.record(z.string(), z.string()),
  session: text,
  client_dialect: text,
  route: text,
  model: text,
  upstream: text,
  upstream_model: text,
  status: z.number().int(),
  error_code: text,
  stream: z.boolean(),
  ms: z.number(),
  ttft_ms: z.number().nullable(),
  attempts: z.number().int(),
  input_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  output_tokens: tokens,
  reasoning_tokens: tokens,
  cost_usd: z.number(),
  unpriced: z.boolean(),
  losses: z.array(z.string()),
  replica: text,
});

export const callDetailSchema = callSchema.extend({
  error_message: text,
  client: text,
  attempt_list: z.array(z.unknown()),
  captured: capturedSchema
    .nullable()
    .describe("The bodies of the call; null if they were not kept, and always null in `/api/me/v1`."),
});

export const usageRowSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.null()]))
  .describe(`The members of group_by, then ${USAGE_COLUMNS.join(", ")}.`);

export const auditSchema = z.strictObject({
  id: z.string(),
  time,
  action: z.string(),
  subject: z.string().describe("A key's id or a team's name; empty for settings and restored keys."),
  actor: z
    .string()
    .describe("The admin key's name, `command line`, `configuration file`, `first start` or `failover`."),
  address: text,
  detail: z.unknown(),
});

const rate = z.strictObject({
  limit: z.number().int(),
  remaining: z.number().int(),
  resets_at: time.nullable(),
});
export const keyLimitsStateSchema = z.strictObject({
  rpm: rate.nullable(),
  tpm: rate.nullable(),
  concurrency: z.strictObject({ limit: z.number().int(), remaining: z.number().int() }).nullable(),
  budgets: z.array(budgetSchema.extend({ remaining: z.number(), resets_at: time.nullable() })),
});
export type KeyLimitsState = z.output<typeof keyLimitsStateSchema>;

export const healthSchema = z.strictObject({
  replicas: z.array(
    z.strictObject({ id: z.string(), version: z.string(), since: time, in_flight: z.number().int() }),
  ),
  database: z.strictObject({ engine: z.string(), status: z.string(), reason: text }),
  redis: z.strictObject({ status: z.string(), reason: text }),
  upstreams: z.array(
    z.strictObject({ name: z.string(), dialect: z.string(), cooldown_until: time.nullable() }),
  ),
  capture: z
    .strictObject({
      calls: captureSchema,
      keys: z
        .array(z.string())
        .describe("Names of keys that keep the bodies of more calls than `calls` selects."),
    })
    .describe("Calls whose bodies are kept."),
});

export const settingsSchema = z.strictObject({
  file: text.describe("The configuration file."),
  read_at: time,
  refused: z
    .strictObject({ at: time, reason: z.string() })
    .nullable()
    .describe("Why a later version of the file was not applied."),
  settings: z.array(
    z.strictObject({
      key: z.string().describe("The setting below `proxy`, such as `timeouts.total`."),
      value: z.unknown(),
      source: z.string().describe("`default`, `file:LINE`, `environment NAME` or `flag --name`."),
    }),
  ),
});

export const errorSchema = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional().describe("The suggested fix."),
  }),
});
