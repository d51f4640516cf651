import { z } from "zod";
import { AppError } from "../../errors.ts";
import {
  callQuery,
  nullableCursor,
  openStore,
  pageQuery,
  readUsageReport,
  usageQuery,
} from "./admin-queries.ts";
import { type AdminContext, type AdminRoute, route } from "./admin-route.ts";
import {
  auditSchema,
  callDetailSchema,
  callSchema,
  healthSchema,
  keyLimitsStateSchema,
  keySchema,
  settingsSchema,
  teamSchema,
  usageRowSchema,
} from "./admin-schemas.ts";
import { adminHealth, adminSettings, keyLimitsState, teamLimitsState } from "./admin-state.ts";
import { configuredKeys, expectChangeable, expectNoConfiguredKeys, findKey } from "./configured-keys.ts";
import {
  keyPatchSchema,
  newKeySchema,
  newTeamSchema,
  rotationSchema,
  teamPatchSchema,
} from "./key-schemas.ts";
import { parseSpan } from "./time-span.ts";

/** Returns a page of a list that is in memory; the cursor is the position of the next item. */
function paginate<Item>(items: readonly Item[], { limit: size, cursor }: z.output<typeof pageQuery>) {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new AppError("validation", "Invalid cursor: use the next_cursor of an earlier response");
  const end = from + size;
  return { shown: items.slice(from, end), next_cursor: end < items.length ? String(end) : null };
}

function readKey(context: AdminContext, id: string) {
  return findKey(
    () => openStore(context),
    id,
    () => context.runtime.config,
  );
}

/** Opens the store to change a key. Throws as `expectChangeable` does. */
async function openToChange(context: AdminContext, id: string) {
  await expectChangeable(
    () => openStore(context),
    id,
    () => context.runtime.config,
  );
  return openStore(context);
}

/** All routes, in the order of the OpenAPI document. */
export const adminRoutes: readonly AdminRoute[] = [
  route({
    method: "GET",
    path: "/keys",
    summary: "Lists the keys of the configuration and of the database, revoked ones too",
    query: pageQuery,
    response: z.strictObject({ keys: z.array(keySchema), next_cursor: nullableCursor }),
    async serve(context, { query }) {
      const stored = await (await openStore(context)).list();
      const { shown, next_cursor } = paginate([...configuredKeys(context.runtime.config), ...stored], query);
      return { keys: shown, next_cursor };
    },
  }),
  route({
    method: "POST",
    path: "/keys",
    summary: "Creates a key; its secret is returned only here",
    body: newKeySchema,
    status: 201,
    response: z.strictObject({ key: keySchema, secret: z.string() }),
    serve: async (context, { body }) => (await openStore(context)).create(body, context.actor),
  }),
  route({
    method: "GET",
    path: "/keys/{id}",
    summary: "Returns a key",
    response: z.strictObject({ key: keySchema }),
    serve: async (context, { params: { id = "" } }) => ({ key: await readKey(context, id) }),
  }),
  route({
    method: "PATCH",
    path: "/keys/{id}",
    summary: "Changes the members that are named; null removes a limit",
    body: keyPatchSchema,
    response: z.strictObject({ key: keySchema }),
    async serve(context, { params: { id = "" }, body }) {
      const store = await openToChange(context, id);
      return { key: await store.update(id, body, context.actor) };
    },
  }),
  route({
    method: "DELETE",
    path: "/keys/{id}",
    summary: "Revokes a key",
    response: z.strictObject({ key: keySchema }),
    async serve(context, { params: { id = "" } }) {
      const store = await openToChange(context, id);
      return { key: await store.revoke(id, context.actor) };
    },
  }),
  route({
    method: "POST",
    path: "/keys/{id}/rotate",
    summary: "Replaces a key's secret; earlier secrets stay valid for at most the grace period",
    body: rotationSchema,
    response: z.strictObject({ key: keySchema, secret: z.string() }),
    async serve(context, { params: { id = "" }, body: { grace } }) {
      const store = await openToChange(context, id);
      const graceMs = grace === undefined ? 0 : (parseSpan(grace) ?? 0);
      return store.rotate(id, graceMs, context.actor);
    },
  }),
  route({
    method: "GET",
    path: "/teams",
    summary: "Lists the teams",
    query: pageQuery,
    response: z.strictObject({ teams: z.array(teamSchema), next_cursor: nullableCursor }),
    async serve(context, { query }) {
      const { shown, next_cursor } = paginate(await (await openStore(context)).listTeams(), query);
      return { teams: shown, next_cursor };
    },
  }),
  route({
    method: "POST",
    path: "/teams",
    summary: "Creates a team",
    body: newTeamSchema,
    status: 201,
    response: z.strictObject({ team: teamSchema }),
    serve: async (context, { body }) => ({
      team: await (await openStore(context)).createTeam(body, context.actor),
    }),
  }),
  route({
    method: "GET",
    path: "/teams/{name}",
    summary: "Returns a team",
    response: z.strictObject({ team: teamSchema }),
    serve: async (context, { params: { name = "" } }) => ({
      team: await (await openStore(context)).findTeam(name),
    }),
  }),
  route({
    method: "PATCH",
    path: "/teams/{name}",
    summary: "Changes the members that are named; null removes a limit",
    body: teamPatchSchema,
    response: z.strictObject({ team: teamSchema }),
    serve: async (context, { params: { name = "" }, body }) => ({
      team: await (await openStore(context)).updateTeam(name, body, context.actor),
    }),
  }),
  route({
    method: "DELETE",
    path: "/teams/{name}",
    summary: "Deletes a team without keys",
    response: z.strictObject({ deleted: z.string() }),
    async serve(context, { params: { name = "" } }) {
      expectNoConfiguredKeys(name, context.runtime.config.keys);
      await (await openStore(context)).deleteTeam(name, context.actor);
      return { deleted: name };
    },
  }),
  route({
    method: "GET",
    path: "/usage",
    summary: "Sums calls, tokens and cost by group",
    query: usageQuery,
    response: z.strictObject({ rows: z.array(usageRowSchema) }),
    serve: (context, { query }) => readUsageReport(context, query),
  }),
  route({
    method: "GET",
    path: "/calls",
    summary: "Lists calls, newest first",
    query: callQuery,
    response: z.strictObject({ calls: z.array(callSchema), next_cursor: nullableCursor }),
    async serve(context, { query }) {
      const { items, nextCursor } = await (await openStore(context)).calls(query);
      return { calls: items, next_cursor: nextCursor };
    },
  }),
  route({
    method: "GET",
    path: "/calls/{id}",
    summary: "Returns a call with its attempts",
    response: z.strictObject({ call: callDetailSchema }),
    serve: async (context, { params: { id = "" } }) => ({ call: await (await openStore(context)).call(id) }),
  }),
  route({
    method: "GET",
    path: "/limits/{id}",
    summary: "Returns the remaining limits of a key",
    response: keyLimitsStateSchema,
    serve: async (context, { params: { id = "" } }) =>
      keyLimitsState(await readKey(context, id), context.services),
  }),
  route({
    method: "GET",
    path: "/teams/{name}/limits",
    summary: "Returns the remaining limits of a team",
    response: keyLimitsStateSchema,
    async serve(context, { params: { name = "" } }) {
      return teamLimitsState(await (await openStore(context)).findTeam(name), context.services);
    },
  }),
  route({
    method: "GET",
    path: "/health",
    summary:
      "Returns the state of the replicas, the database, Redis, the upstreams and the capture of bodies",
    response: healthSchema,
    serve: ({ services }) => adminHealth(services),
  }),
  route({
    method: "GET",
    path: "/settings",
    summary: "Returns the settings in force and their sources; secrets are redacted",
    response: settingsSchema,
    serve: async ({ services }) => adminSettings(services),
  }),
  route({
    method: "GET",
    path: "/audit",
    summary: "Lists changes of keys, teams and settings, newest first",
    query: pageQuery,
    response: z.strictObject({ entries: z.array(auditSchema), next_cursor: nullableCursor }),
    async serve(context, { query }) {
      const { items, nextCursor } = await (await openStore(context)).audit(query);
      return { entries: items, next_cursor: nextCursor };
    },
  }),
];
