import { randomBytes } from "node:crypto";
import type { Selectable, Transaction } from "kysely";
import type { Database } from "../../database/open-database.ts";
import type { KeyTable, Schema, TeamTable } from "../../database/schema.ts";
import { AppError } from "../../errors.ts";
import type { Team, VirtualKey } from "./key-schemas.ts";
import { hashSecret } from "./key-secret.ts";

export type Trx = Transaction<Schema>;

/** The author of a change: a key's name or a source such as `command line`, and the request's client address. */
export interface Actor {
  readonly name: string;
  readonly address: string | null;
}

export async function keyRow(db: Database | Trx, idOrName: string): Promise<Selectable<KeyTable>> {
  const row = await db
    .selectFrom("gateway_keys")
    .selectAll()
    .where((where) => where.or([where("id", "=", idOrName), where("name", "=", idOrName)]))
    .executeTakeFirst();
  if (row === undefined)
    throw new AppError("not_found", `There is no key ${idOrName}`, {
      hint: "List the keys: sallyport proxy keys list",
    });
  return row;
}

export async function teamRow(
  db: Database | Trx,
  name: string,
  hint = "List the teams: sallyport proxy teams list",
): Promise<Selectable<TeamTable>> {
  const row = await db.selectFrom("teams").selectAll().where("name", "=", name).executeTakeFirst();
  if (row === undefined) throw new AppError("not_found", `There is no team ${name}`, { hint });
  return row;
}

/** Throws `not_found` if the team of a key does not exist. */
export async function expectTeam(trx: Trx, name: string): Promise<void> {
  await teamRow(trx, name, `Create it: sallyport proxy teams create ${name}`);
}

/** Throws `conflict` if a key has `name` as its name or id, because requests identify keys by either. */
export async function expectFreeName(trx: Trx, name: string): Promise<void> {
  const known = await trx
    .selectFrom("gateway_keys")
    .select("id")
    .where((where) => where.or([where("name", "=", name), where("id", "=", name)]))
    .executeTakeFirst();
  if (known) throw new AppError("conflict", `A key named ${name} already exists`);
}

export async function addSecret(trx: Trx, keyId: string, secret: string): Promise<void> {
  await trx
    .insertInto("key_secrets")
    .values({ sha256: hashSecret(secret), key_id: keyId, valid_until: null })
    .execute();
}

export async function audit(
  trx: Trx,
  actor: Actor,
  action: string,
  subject: string,
  detail: object,
  now: number,
): Promise<void> {
  await trx
    .insertInto("audit")
    .values({
      id: `${now.toString(36).padStart(9, "0")}_${randomBytes(6).toString("hex")}`,
      time: now,
      actor: actor.name,
      address: actor.address,
      action,
      subject,
      detail: JSON.stringify(detail),
    })
    .execute();
}

/** Returns the names of the members that a patch changes. The command line leaves members undefined. */
export function namesIn(patch: object): string[] {
  return Object.entries(patch).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

export function toKey(row: Selectable<KeyTable>): VirtualKey {
  return {
    id: row.id,
    name: row.name,
    team: row.team,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: toIso(row.expires_at),
    revoked_at: toIso(row.revoked_at),
    models: row.models === null ? null : JSON.parse(row.models),
    mcp: row.mcp === null ? null : JSON.parse(row.mcp),
    tags: JSON.parse(row.tags),
    role: row.role as VirtualKey["role"],
    limits: JSON.parse(row.limits),
    capture: row.capture as VirtualKey["capture"],
    source: "database",
  };
}

export function toTeam(row: Selectable<TeamTable>): Team {
  return {
    name: row.name,
    created_at: new Date(row.created_at).toISOString(),
    tags: JSON.parse(row.tags),
    limits: JSON.parse(row.limits),
  };
}

/** Returns the row of a key in an earlier snapshot. `isFirstStart`: the first start created the key. */
export function fromKey(key: VirtualKey, isFirstStart: boolean): Selectable<KeyTable> {
  return {
    id: key.id,
    name: key.name,
    team: key.team,
    created_at: Date.parse(key.created_at),
    expires_at: toMilliseconds(key.expires_at),
    revoked_at: toMilliseconds(key.revoked_at),
    models: key.models && JSON.stringify(key.models),
    mcp: key.mcp && JSON.stringify(key.mcp),
    tags: JSON.stringify(key.tags),
    role: key.role,
    limits: JSON.stringify(key.limits),
    capture: key.capture,
    first_start: isFirstStart ? 1 : 0,
  };
}

export function fromTeam({ name, created_at, tags, limits }: Team): Selectable<TeamTable> {
  const members = { tags: JSON.stringify(tags), limits: JSON.stringify(limits) };
  return { name, created_at: Date.parse(created_at), ...members };
}

function toIso(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

export function toMilliseconds(iso: string | null | undefined): number | null {
  return iso == null ? null : Date.parse(iso);
}
