import { z } from "zod";

/** Limits of keys, teams and upstreams as they are configured. */

/** A limit of requests, tokens or calls. */
export const count = z.number().int().positive();

export const budgetSchema = z.strictObject({
  usd: z.number().positive().max(1_000_000_000).describe("US dollars for one period."),
  period: z
    .enum(["day", "week", "month", "total"])
    .describe("A calendar period in UTC (weeks begin on Monday), or `total` for a period without an end."),
});

const rates = {
  rpm: count.optional().describe("Requests per minute."),
  tpm: count.optional().describe("Tokens per minute."),
  concurrency: count.optional().describe("Calls in flight."),
};

export const upstreamLimitsSchema = z.strictObject(rates);

export const keyLimitsSchema = z.strictObject({ ...rates, budgets: z.array(budgetSchema).max(8).optional() });

const text = z.string().min(1);

/** The calls whose bodies are kept. */
export const captureSchema = z.enum(["off", "errors", "all"]);

/** The permissions, limits and tags of a configured key. */
export const keyAccess = {
  team: text.optional().describe("The team whose limits and usage the key shares."),
  tags: z.record(text, z.string()).optional().describe("Recorded with each call."),
  models: z.array(text).min(1).optional().describe("Patterns of the models that it may call; default: all."),
  mcp: z
    .array(text)
    .min(1)
    .optional()
    .describe("MCP servers and tools that it may use, as NAME or NAME/TOOL with patterns; default: all."),
  limits: keyLimitsSchema.optional(),
  capture: captureSchema
    .optional()
    .describe("Which of its calls' bodies are kept; default: `proxy.capture`."),
};

const keyAccessSchema = z.object({ name: text, ...keyAccess });
export type KeyAccessSettings = z.infer<typeof keyAccessSchema>;

export const queueSchema = z
  .strictObject({
    size: z.number().int().positive().describe("Maximum number of waiting calls of a key, team or upstream."),
    timeout: z.number().positive().max(3_600).describe("Maximum seconds that a call waits."),
  })
  .optional()
  .describe("Calls over a limit of concurrency, or to a full upstream, wait instead of being rejected.");

export const unpricedSchema = z
  .enum(["count", "refuse"])
  .default("count")
  .describe(
    "`refuse`: keys and teams with a budget may not call models without a price; `count`: these calls cost 0.",
  );

export const redisFailureSchema = z
  .enum(["local", "refuse"])
  .default("local")
  .describe(
    "While Redis is unreachable: each replica enforces its share (`local`), or calls with limits get 503 (`refuse`).",
  );

/** The strategies by which a rule chooses an upstream, and the failures after which it tries the next one. */
export const routingMembers = {
  strategy: z
    .enum(["order", "weighted", "least-busy", "fastest", "cheapest"])
    .optional()
    .describe(
      "Order in which the upstreams are tried; default: `weighted` if a target or its upstream has a weight, else `order`.",
    ),
  on: z
    .array(z.enum(["error", "rate_limit", "context_window"]))
    .default(["error", "rate_limit"])
    .describe("Failures after which the next upstream is tried."),
};

export type Strategy = NonNullable<z.infer<typeof routingMembers.strategy>>;
export type FallbackReason = z.infer<typeof routingMembers.on>[number];

export type Budget = Readonly<z.infer<typeof budgetSchema>>;
export type Period = Budget["period"];

/** Limits as configured. An absent member sets no limit. */
export interface Limits {
  /** Requests per minute; also the maximum burst. */
  readonly rpm?: number | undefined;
  /** Tokens per minute; also the maximum burst. */
  readonly tpm?: number | undefined;
  /** Calls in flight. */
  readonly concurrency?: number | undefined;
  readonly budgets?: readonly Budget[] | undefined;
}

/** A key, a team or an upstream that has limits. */
export interface Subject {
  /** Unique among subjects of all kinds, such as `key:key_8f3…` or `team:search`. */
  readonly id: string;
  /** Its name in messages, such as `the key "alice"`. */
  readonly label: string;
  readonly limits: Limits;
}

/** The number of calls that may wait for each key, team and upstream, and the time for which a call waits. */
export interface QueueSettings {
  readonly size: number;
  readonly timeoutMs: number;
}

/**
 * Returns the subjects whose limits apply to the calls of a key, or undefined if the key and its team have no limits.
 */
export function getLimitSubjects(
  key: { readonly id: string; readonly name: string; readonly limits?: Limits | undefined },
  team?: { readonly name: string; readonly limits?: Limits | undefined },
): readonly Subject[] | undefined {
  const subjects: Subject[] = [];
  if (hasLimits(key.limits))
    subjects.push({ id: `key:${key.id}`, label: `the key ${JSON.stringify(key.name)}`, limits: key.limits });
  const shared = team && teamSubject(team);
  if (shared !== undefined) subjects.push(shared);
  return subjects.length === 0 ? undefined : subjects;
}

/** Returns the subject of a team, or undefined if it has no limits. */
export function teamSubject({
  name,
  limits,
}: {
  readonly name: string;
  readonly limits?: Limits | undefined;
}): Subject | undefined {
  if (!hasLimits(limits)) return undefined;
  return { id: `team:${name}`, label: `the team ${JSON.stringify(name)}`, limits };
}

/** Returns the subject of an upstream, or undefined if it has no limits. */
export function upstreamSubject(name: string, limits: Limits | undefined): Subject | undefined {
  if (!hasLimits(limits)) return undefined;
  return { id: `upstream:${name}`, label: `the upstream ${JSON.stringify(name)}`, limits };
}

/** Returns whether at least one limit is set. */
export function hasLimits(limits: Limits | undefined): limits is Limits {
  if (limits === undefined) return false;
  const { rpm, tpm, concurrency, budgets = [] } = limits;
  return rpm !== undefined || tpm !== undefined || concurrency !== undefined || budgets.length > 0;
}
