import { z } from "zod";
import type { ProxyKey } from "../../config/proxy/config.ts";
import { keyLimitsSchema } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import { callQuery, nullableCursor, openStore, readUsageReport, usageQuery } from "./admin-queries.ts";
import { type AdminContext, type AdminRoute, route } from "./admin-route.ts";
import { callDetailSchema, callSchema, keyLimitsStateSchema, usageRowSchema } from "./admin-schemas.ts";
import { keyLimitsState, teamLimitsState } from "./admin-state.ts";
import { ROLES } from "./key-schemas.ts";
import type { KeyOwner } from "./usage.ts";

/** The facts about a key that its owner may read. */
export const ownKeySchema = z.strictObject({
  id: z.string().nullable(),
  name: z.string(),
  role: z.enum(ROLES),
  source: z.enum(["database", "config"]),
  team: z.string().nullable(),
  models: z.array(z.string()).nullable(),
  expires_at: z.iso.datetime().nullable(),
  limits: keyLimitsSchema,
  sees: z
    .enum(["everything", "current", "own"])
    .describe(
      "The calls that the dashboard shows: `everything`, `current` (all keys, since the start), or `own`.",
    ),
});

export const ownLimitsSchema = z.strictObject({
  key: keyLimitsStateSchema,
  team: keyLimitsStateSchema.nullable(),
});

const withoutOthers = { key: true, team: true } as const;

/** The routes of `/api/me/v1`, which return a key's own calls and limits, in the order of the OpenAPI document. */
export const ownRoutes: readonly AdminRoute[] = [
  route({
    method: "GET",
    path: "/key",
    summary: "Returns the caller's key",
    response: z.strictObject({ key: ownKeySchema }),
    serve: async (context) => ({ key: describeKey(context) }),
  }),
  route({
    method: "GET",
    path: "/limits",
    summary: "Returns the remaining limits of the key and its team",
    response: ownLimitsSchema,
    serve: ownLimits,
  }),
  route({
    method: "GET",
    path: "/usage",
    summary: "Sums the key's calls, tokens and cost by group",
    query: usageQuery.omit(withoutOthers),
    response: z.strictObject({ rows: z.array(usageRowSchema) }),
    serve: (context, { query }) => readUsageReport(context, query, getOwner(context)),
  }),
  route({
    method: "GET",
    path: "/calls",
    summary: "Lists the key's calls, newest first",
    query: callQuery.omit(withoutOthers),
    response: z.strictObject({ calls: z.array(callSchema), next_cursor: nullableCursor }),
    async serve(context, { query }) {
      const owner = getOwner(context);
      const { items, nextCursor } = await (await openStore(context)).calls({ ...query, owner });
      return { calls: items, next_cursor: nextCursor };
    },
  }),
  route({
    method: "GET",
    path: "/calls/{id}",
    summary: "Returns one of the key's calls with its attempts",
    response: z.strictObject({ call: callDetailSchema }),
    serve: async (context, { params: { id = "" } }) => ({
      call: await (await openStore(context)).call(id, getOwner(context)),
    }),
  }),
];

function requireKey({ key }: AdminContext): ProxyKey {
  // Only for the type: admission has checked that there is a key.
  if (key === undefined) throw new AppError("unauthorized", "A valid API key of this proxy is required");
  return key;
}

function getOwner(context: AdminContext): KeyOwner {
  const { id, name } = requireKey(context);
  return { id, name };
}

function describeKey(context: AdminContext): z.output<typeof ownKeySchema> {
  const { id, name, role, team, models, limits = {} } = requireKey(context);
  const stored = context.services.gateway.directory.findById(id ?? "");
  return {
    id: id ?? null,
    name,
    role: role ?? "user",
    source: stored === undefined ? "config" : "database",
    team: team ?? null,
    models: models === undefined ? null : [...models],
    expires_at: stored?.expires_at ?? null,
    limits: keyLimitsSchema.parse(limits),
    // As in `mayCall`: keys in the configuration have no role, and may see the calls of all keys.
    sees: role === "admin" ? "everything" : role === undefined ? "current" : "own",
  };
}

async function ownLimits(context: AdminContext): Promise<z.output<typeof ownLimitsSchema>> {
  const { id = "", name, limits = {}, team: teamName } = requireKey(context);
  const { services } = context;
  const team = teamName === undefined ? undefined : services.gateway.directory.team(teamName);
  const [key, left] = await Promise.all([
    keyLimitsState({ id, name, limits }, services),
    team && teamLimitsState(team, services),
  ]);
  return { key, team: left ?? null };
}
