import { z } from "zod";
import { type AdminContext, TextResponse } from "./admin-route.ts";
import type { GatewayStore } from "./gateway.ts";
import { type KeyOwner, parseGroups } from "./usage.ts";
import { usageCsv } from "./usage-csv.ts";

/** Queries and schemas that the admin API and the API of a key's own calls share. */

const limit = z.coerce.number().int().min(1).max(1_000).default(100);
const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: "must be a date such as 2026-11-01 or a time such as 2026-11-01T08:00:00Z",
  })
  .transform((text) => Date.parse(text));
// PostgreSQL text cannot contain NUL.
const text = z.string().regex(/^[^\0]+$/, "must be text without NUL characters");
export const pageQuery = z.strictObject({ limit, cursor: text.optional() });
export const nullableCursor = text.nullable();

export const callQuery = pageQuery.extend({
  from: time.optional(),
  to: time.optional(),
  key: text.optional(),
  team: text.optional(),
  model: text.optional(),
  upstream: text.optional(),
  status: z.coerce.number().int().optional(),
  session: text.optional(),
  outcome: z
    .enum(["ok", "error"])
    .optional()
    .describe("`error`: failed calls; `ok`: all others, including client disconnects."),
  q: text
    .max(200)
    .optional()
    .describe("A call's id or session, or a part of its model, key, route, client or error."),
});
export const usageQuery = z.strictObject({
  from: time.optional(),
  to: time.optional(),
  group_by: z
    .string()
    .default("")
    .describe("minute, hour, day, key, team, model, upstream and tag:NAME, separated by commas."),
  key: text.optional(),
  team: text.optional(),
  model: text.optional(),
  upstream: text.optional(),
  format: z.enum(["json", "csv"]).default("json"),
});

export const openStore = ({ services }: AdminContext): Promise<GatewayStore> => services.gateway.store();

/** Returns a usage report on the calls of one key or of all keys. */
export async function readUsageReport(
  context: AdminContext,
  { group_by, format, ...filters }: z.output<typeof usageQuery>,
  owner?: KeyOwner,
): Promise<unknown> {
  const groupBy = parseGroups(group_by);
  const rows = await (await openStore(context)).usage({ ...filters, groupBy, owner });
  if (format === "csv") return new TextResponse("text/csv; charset=utf-8", usageCsv(rows, groupBy));
  return { rows };
}
