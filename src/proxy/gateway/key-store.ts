import type { InsertObject, Selectable } from "kysely";
import type { Database } from "../../database/open-database.ts";
import type { KeyTable, Schema } from "../../database/schema.ts";
import { AppError } from "../../errors.ts";
import {
  type Actor,
  addSecret,
  audit,
  expectFreeName,
  expectTeam,
  fromKey,
  fromTeam,
  keyRow,
  namesIn,
  type Trx,
  teamRow,
  toKey,
  toMilliseconds,
  toTeam,
} from "./key-rows.ts";
import type { KeyPatch, NewKey, NewTeam, Team, TeamPatch, VirtualKey } from "./key-schemas.ts";
import { patchLimits } from "./key-schemas.ts";
import { newKeyId, newSecret } from "./key-secret.ts";
import { createTeam, deleteTeam, updateTeam } from "./team-store.ts";

/**
 * The digest of a secret, and the time until which the secret is valid (milliseconds since 1970; null if it is valid as
 * long as its key).
 */
export interface SecretDigest {
  readonly sha256: string;
  readonly keyId: string;
  readonly validUntil: number | null;
}

/** All keys and teams at one revision. */
export interface KeySnapshot {
  readonly revision: number;
  readonly keys: readonly VirtualKey[];
  readonly secrets: readonly SecretDigest[];
  readonly teams: readonly Team[];
  /** Whether there is a key other than the first start's admin key. Revoked and expired keys count. */
  readonly requiresKeys: boolean;
}

export interface KeyStore {
  /**
   * Creates a key. Returns it and its secret, of which only the digest is stored. Throws `conflict` if the name is the
   * name or the id of another key, and `not_found` if the team does not exist.
   */
  create(key: NewKey, actor: Actor): Promise<{ key: VirtualKey; secret: string }>;
  list(): Promise<VirtualKey[]>;
  /** Returns the key with this id or name. Throws `not_found`. */
  find(idOrName: string): Promise<VirtualKey>;
  update(idOrName: string, patch: KeyPatch, actor: Actor): Promise<VirtualKey>;
  /**
   * Replaces the key's secret. Earlier ones are valid for at most `graceMs` more milliseconds. Throws `conflict` if the
   * key is revoked.
   */
  rotate(idOrName: string, graceMs: number, actor: Actor): Promise<{ key: VirtualKey; secret: string }>;
  revoke(idOrName: string, actor: Actor): Promise<VirtualKey>;
  createTeam(team: NewTeam, actor: Actor): Promise<Team>;
  listTeams(): Promise<Team[]>;
  findTeam(name: string): Promise<Team>;
  updateTeam(name: string, patch: TeamPatch, actor: Actor): Promise<Team>;
  /** Throws `conflict` if the team has keys. */
  deleteTeam(name: string, actor: Actor): Promise<void>;
  /** Returns all keys, teams and valid secrets. */
  snapshot(): Promise<KeySnapshot>;
  /**
   * Creates the admin key of the first start; returns undefined if there is an admin key already. This key alone does
   * not make `auth_mode: "auto"` require keys.
   */
  createFirstAdmin(): Promise<{ key: VirtualKey; secret: string } | undefined>;
  /**
   * Writes the keys and teams of an earlier snapshot to a database without keys, such as an empty one after a failover.
   */
  restore(known: KeySnapshot): Promise<void>;
  /** Returns a number that increases with each change of keys or teams. */
  revision(): Promise<number>;
}

export function createKeyStore(db: Database, now: () => number = Date.now): KeyStore {
  return {
    create: (key, actor) => change(db, (trx) => createKey(trx, key, actor, now())),
    async list() {
      const rows = await db
        .selectFrom("gateway_keys")
        .selectAll()
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(toKey);
    },
    find: async (idOrName) => toKey(await keyRow(db, idOrName)),
    update: (idOrName, patch, actor) => change(db, (trx) => updateKey(trx, idOrName, patch, actor, now())),
    rotate: (idOrName, graceMs, actor) =>
      change(db, (trx) => rotateKey(trx, idOrName, graceMs, actor, now())),
    revoke: (idOrName, actor) => change(db, (trx) => revokeKey(trx, idOrName, actor, now())),
    createTeam: (team, actor) => change(db, (trx) => createTeam(trx, team, actor, now())),
    async listTeams() {
      return (await db.selectFrom("teams").selectAll().orderBy("name").execute()).map(toTeam);
    },
    findTeam: async (name) => toTeam(await teamRow(db, name)),
    updateTeam: (name, patch, actor) => change(db, (trx) => updateTeam(trx, name, patch, actor, now())),
    deleteTeam: (name, actor) => change(db, (trx) => deleteTeam(trx, name, actor, now())),
    snapshot: () => db.transaction().execute((trx) => readSnapshot(trx, now())),
    createFirstAdmin: () => change(db, (trx) => createFirstAdmin(trx, now())),
    restore: (known) => change(db, (trx) => restore(trx, known, now())),
    async revision() {
      const row = await db.selectFrom("revisions").select("revision").executeTakeFirstOrThrow();
      return row.revision;
    },
  };
}

/** Reads everything in one transaction, so that the revision belongs to the keys. */
async function readSnapshot(trx: Trx, now: number): Promise<KeySnapshot> {
  const { revision } = await trx.selectFrom("revisions").select("revision").executeTakeFirstOrThrow();
  const keys = await trx.selectFrom("gateway_keys").selectAll().orderBy("created_at").orderBy("id").execute();
  const teams = await trx.selectFrom("teams").selectAll().orderBy("name").execute();
  const secrets = await trx
    .selectFrom("key_secrets")
    .selectAll()
    .where((where) => where.or([where("valid_until", "is", null), where("valid_until", ">", now)]))
    .execute();
  return {
    revision,
    keys: keys.map(toKey),
    teams: teams.map(toTeam),
    secrets: secrets.map((row) => ({ sha256: row.sha256, keyId: row.key_id, validUntil: row.valid_until })),
    requiresKeys: keys.some(({ first_start }) => first_start === 0),
  };
}

/** The name of the first start's admin key. */
const FIRST_ADMIN = "admin";

async function createFirstAdmin(trx: Trx, now: number) {
  const admin = await trx
    .selectFrom("gateway_keys")
    .select("id")
    .where("role", "=", "admin")
    .executeTakeFirst();
  if (admin !== undefined) return undefined;
  const taken = await trx
    .selectFrom("gateway_keys")
    .select("id")
    .where("name", "=", FIRST_ADMIN)
    .executeTakeFirst();
  const name = taken ? `${FIRST_ADMIN}-${newKeyId().slice(4, 12)}` : FIRST_ADMIN;
  const created = await createKey(trx, { name, role: "admin" }, { name: "first start", address: null }, now);
  await trx.updateTable("gateway_keys").set({ first_start: 1 }).where("id", "=", created.key.id).execute();
  return created;
}

/** Maximum rows of one statement, so that it has fewer parameters than the 65,535 that PostgreSQL accepts. */
const ROWS = 1_000;

async function restore(trx: Trx, known: KeySnapshot, now: number): Promise<void> {
  if (await trx.selectFrom("gateway_keys").select("id").executeTakeFirst()) return;
  const insert = async <Table extends "teams" | "gateway_keys" | "key_secrets">(
    table: Table,
    rows: readonly InsertObject<Schema, Table>[],
  ) => {
    for (let from = 0; from < rows.length; from += ROWS) {
      const query = trx.insertInto(table).values(rows.slice(from, from + ROWS));
      await query.onConflict((conflict) => conflict.doNothing()).execute();
    }
  };
  await insert("teams", known.teams.map(fromTeam));
  const keys = known.keys.map((key) => fromKey(key, !known.requiresKeys));
  await insert("gateway_keys", keys);
  const secrets = known.secrets.map(({ sha256, keyId, validUntil }) => ({
    sha256,
    key_id: keyId,
    valid_until: validUntil,
  }));
  await insert("key_secrets", secrets);
  await audit(trx, { name: "failover", address: null }, "keys.restore", "", { keys: keys.length }, now);
}

/** Runs a change in a transaction that increments the revision, so that running proxies read the keys again. */
function change<Result>(db: Database, task: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    // This statement is first, because PostgreSQL locks the row: changes of several proxies, such as their first
    // admin keys, then run one after another.
    await trx
      .updateTable("revisions")
      .set((set) => ({ revision: set("revision", "+", 1) }))
      .execute();
    return task(trx);
  });
}

async function createKey(trx: Trx, key: NewKey, actor: Actor, now: number) {
  if (key.team != null) await expectTeam(trx, key.team);
  await expectFreeName(trx, key.name);
  const secret = newSecret();
  const row: Selectable<KeyTable> = {
    id: newKeyId(),
    name: key.name,
    team: key.team ?? null,
    created_at: now,
    expires_at: toMilliseconds(key.expires_at),
    revoked_at: null,
    models: key.models == null ? null : JSON.stringify(key.models),
    mcp: key.mcp == null ? null : JSON.stringify(key.mcp),
    tags: JSON.stringify(key.tags ?? {}),
    role: key.role ?? "user",
    limits: JSON.stringify(key.limits ?? {}),
    capture: key.capture ?? null,
    first_start: 0,
  };
  await trx.insertInto("gateway_keys").values(row).execute();
  await addSecret(trx, row.id, secret);
  await audit(trx, actor, "key.create", row.id, { name: row.name }, now);
  return { key: toKey(row), secret };
}

async function updateKey(trx: Trx, idOrName: string, patch: KeyPatch, actor: Actor, now: number) {
  const row = await keyRow(trx, idOrName);
  if (patch.team != null) await expectTeam(trx, patch.team);
  if (patch.name !== undefined && patch.name !== row.name) await expectFreeName(trx, patch.name);
  const next: Selectable<KeyTable> = {
    ...row,
    name: patch.name ?? row.name,
    team: patch.team === undefined ? row.team : patch.team,
    models: patch.models === undefined ? row.models : patch.models && JSON.stringify(patch.models),
    mcp: patch.mcp === undefined ? row.mcp : patch.mcp && JSON.stringify(patch.mcp),
    tags: patch.tags === undefined ? row.tags : JSON.stringify(patch.tags),
    role: patch.role ?? row.role,
    expires_at: patch.expires_at === undefined ? row.expires_at : toMilliseconds(patch.expires_at),
    limits: patch.limits ? JSON.stringify(patchLimits(JSON.parse(row.limits), patch.limits)) : row.limits,
    capture: patch.capture === undefined ? row.capture : patch.capture,
  };
  await trx.updateTable("gateway_keys").set(next).where("id", "=", row.id).execute();
  await audit(trx, actor, "key.update", row.id, { name: next.name, changed: namesIn(patch) }, now);
  return toKey(next);
}

async function rotateKey(trx: Trx, idOrName: string, graceMs: number, actor: Actor, now: number) {
  const row = await keyRow(trx, idOrName);
  if (row.revoked_at !== null)
    throw new AppError("conflict", `Cannot rotate the key ${row.name}: it is revoked`, {
      hint: "Create a new key.",
    });
  const end = now + graceMs;
  await trx
    .updateTable("key_secrets")
    .set({ valid_until: end })
    .where("key_id", "=", row.id)
    // A secret of an earlier rotation may have a longer grace period.
    .where((where) => where.or([where("valid_until", "is", null), where("valid_until", ">", end)]))
    .execute();
  await trx.deleteFrom("key_secrets").where("valid_until", "<=", now).execute();
  const secret = newSecret();
  await addSecret(trx, row.id, secret);
  await audit(trx, actor, "key.rotate", row.id, { name: row.name, grace_seconds: graceMs / 1000 }, now);
  return { key: toKey(row), secret };
}

async function revokeKey(trx: Trx, idOrName: string, actor: Actor, now: number) {
  const row = await keyRow(trx, idOrName);
  const next = { ...row, revoked_at: row.revoked_at ?? now };
  await trx
    .updateTable("gateway_keys")
    .set({ revoked_at: next.revoked_at })
    .where("id", "=", row.id)
    .execute();
  await trx.deleteFrom("key_secrets").where("key_id", "=", row.id).execute();
  await audit(trx, actor, "key.revoke", row.id, { name: row.name }, now);
  return toKey(next);
}
