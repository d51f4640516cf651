import { z } from "zod";
import type { CallTable } from "../../database/schema.ts";
import { toCount } from "../exchange/usage.ts";
import { routes } from "../routes.ts";
import { toMicros } from "./limits.ts";

/** Log lines of earlier versions contain counts as vendors reported them, which the database may not accept. */
const count = z.number().transform((value) => toCount(value) ?? 0);
/** A line of the request log that describes a call. Rejected requests have no id and do not count as calls. */
const lineSchema = z.object({
  time: z.string(),
  id: z.string().min(1),
  key: z.string().optional(),
  key_id: z.string().optional(),
  team: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  client: z.string().optional(),
  session: z.string().optional(),
  route: z.string(),
  model: z.string().optional(),
  upstream: z.string().optional(),
  upstream_model: z.string().optional(),
  status: z.number().int(),
  ms: z.number(),
  first_byte_ms: z.number().optional(),
  stream: z.boolean(),
  tokens: z
    .object({
      input: count.optional(),
      cache_read: count.optional(),
      cache_write: count.optional(),
      output: count.optional(),
      reasoning: count.optional(),
    })
    .optional(),
  cost: z.number().optional(),
  losses: z.array(z.string()).optional(),
  attempts: z.array(z.unknown()).optional(),
  error_code: z.string().optional(),
  fault: z.string().optional(),
});

/** Returns the ledger's row of a log line, or undefined if the line does not describe a call. */
export function parseLedgerRow(line: string): CallTable | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // A killed process may leave an incomplete line.
    return undefined;
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const call = parsed.data;
  const time = Date.parse(call.time);
  if (Number.isNaN(time)) return undefined;
  const { tokens = {}, attempts } = call;
  return {
    id: call.id,
    time,
    key_id: call.key_id ?? null,
    key_name: call.key ?? null,
    team: call.team ?? null,
    tags: call.tags === undefined ? null : JSON.stringify(call.tags),
    session: call.session ?? null,
    client: call.client ?? null,
    client_dialect: getDialect(call.route),
    route: call.route,
    model: call.model ?? null,
    upstream: call.upstream ?? null,
    // The log omits a name that equals the client's.
    upstream_model: call.upstream_model ?? (call.upstream === undefined ? null : (call.model ?? null)),
    status: call.status,
    error_code: call.error_code ?? null,
    error_message: call.fault ?? null,
    stream: call.stream ? 1 : 0,
    ms: call.ms,
    ttft_ms: call.first_byte_ms ?? null,
    attempts: attempts?.length ?? (call.upstream === undefined ? 0 : 1),
    attempt_list: attempts === undefined ? null : JSON.stringify(attempts),
    input_tokens: tokens.input ?? 0,
    cache_read_tokens: tokens.cache_read ?? 0,
    cache_write_tokens: tokens.cache_write ?? 0,
    output_tokens: tokens.output ?? 0,
    reasoning_tokens: tokens.reasoning ?? 0,
    cost_micros: toCount(toMicros(call.cost ?? 0)) ?? 0,
    unpriced: call.tokens !== undefined && call.cost === undefined ? 1 : 0,
    losses: call.losses === undefined ? null : JSON.stringify(call.losses),
    replica: parseReplica(call.id),
  };
}

const dialectByRoute = new Map(routes.map(({ path, dialect }) => [path, dialect]));

function getDialect(route: string): string | null {
  const dialect = dialectByRoute.get(route);
  return dialect === undefined || dialect === "plain" || dialect === "by-caller" ? null : dialect;
}

/** Returns the id of the process that served a call: the part of the call's id that all calls of one process share. */
function parseReplica(callId: string): string | null {
  return /^req_([0-9a-f]{12})/.exec(callId)?.[1] ?? null;
}
