import { type Selectable, sql } from "kysely";
import type { Database } from "../../database/open-database.ts";
import type { AuditTable, CallTable } from "../../database/schema.ts";
import { AppError } from "../../errors.ts";
import { type CapturedBodies, findCapture } from "./captures.ts";
import { toUsd } from "./limits.ts";
import { type KeyOwner, queryUsage, type UsageQuery } from "./usage.ts";
import type { UsageRow } from "./usage-groups.ts";
import { IS_ERROR } from "./usage-totals.ts";

/**
 * Filters of the list of calls. `from` (inclusive) and `to` (exclusive) are milliseconds since 1970; `cursor` comes
 * from an earlier page of the list.
 */
export interface CallQuery {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** A key's name or id. */
  readonly key?: string | undefined;
  readonly team?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly status?: number | undefined;
  readonly session?: string | undefined;
  /** `error` selects failed calls; `ok` selects all others. */
  readonly outcome?: "ok" | "error" | undefined;
  /** A call's id or session, or, in any letter case, a part of its model, key, route, client or error. */
  readonly q?: string | undefined;
  readonly owner?: KeyOwner | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** One change of a key, a team or the settings. */
export interface AuditEntry {
  readonly id: string;
  readonly time: string;
  readonly action: string;
  /** The key's id or the team's name; empty for settings and for keys restored after a failover. */
  readonly subject: string;
  readonly actor: string;
  readonly address: string | null;
  readonly detail: unknown;
}

/** The queries of the admin API and of the API of a key's own calls. */
export interface LedgerQueries {
  /** Returns calls, newest first. */
  calls(query: CallQuery): Promise<Page<LedgerCall>>;
  /**
   * Returns one call with its attempts. Throws `not_found` if there is none, or if it belongs to a key other than
   * `owner`.
   */
  call(id: string, owner?: KeyOwner): Promise<LedgerCallDetail>;
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;
  /** Returns changes of keys, teams and settings, newest first. */
  audit(query: { readonly cursor?: string | undefined; readonly limit: number }): Promise<Page<AuditEntry>>;
}

/** A call in the form of the API. */
export type LedgerCall = ReturnType<typeof toCall>;
export interface LedgerCallDetail extends LedgerCall {
  readonly error_message: string | null;
  readonly client: string | null;
  readonly attempt_list: unknown;
  /** Null if no bodies were kept, and for a call that was read with `owner`. */
  readonly captured: CapturedBodies | null;
}

export function createLedgerQueries(db: Database): LedgerQueries {
  return {
    calls: (query) => listCalls(db, query),
    call: (id, owner) => findCall(db, id, owner),
    usage: (query) => queryUsage(db, query),
    audit: (query) => listAudit(db, query),
  };
}

async function listCalls(db: Database, query: CallQuery): Promise<Page<LedgerCall>> {
  const { from, to, key, team, model, upstream, status, session, outcome, q, owner, limit } = query;
  let select = db.selectFrom("calls").selectAll();
  if (from !== undefined) select = select.where("time", ">=", from);
  if (to !== undefined) select = select.where("time", "<", to);
  if (key !== undefined)
    select = select.where((where) => where.or([where("key_id", "=", key), where("key_name", "=", key)]));
  if (team !== undefined) select = select.where("team", "=", team);
  if (model !== undefined) select = select.where("model", "=", model);
  if (upstream !== undefined) select = select.where("upstream", "=", upstream);
  if (status !== undefined) select = select.where("status", "=", status);
  if (session !== undefined) select = select.where("session", "=", session);
  if (outcome !== undefined) select = select.where(hasOutcome(outcome));
  if (q !== undefined) select = select.where(contains(q));
  if (owner !== undefined) select = select.where(isOwnedBy(owner));
  if (query.cursor !== undefined) select = select.where(isBefore(query.cursor));
  const rows = await select
    .orderBy("time", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return page(rows, limit, toCall);
}

function hasOutcome(outcome: "ok" | "error") {
  return sql.raw<boolean>(outcome === "error" ? IS_ERROR : `not ${IS_ERROR}`);
}

const SEARCHED = [
  "model",
  "upstream_model",
  "key_name",
  "route",
  "client",
  "error_code",
  "error_message",
] as const;

function contains(text: string) {
  const pattern = `%${text.replace(/[!%_]/g, "!$&")}%`;
  // The database lowers both sides: SQLite lowers only ASCII letters, unlike JavaScript.
  const parts = SEARCHED.map(
    (name) => sql<boolean>`lower(${sql.ref(name)}) like lower(${pattern}) escape '!'`,
  );
  return sql<boolean>`(id = ${text} or session = ${text} or ${sql.join(parts, sql` or `)})`;
}

function isOwnedBy({ id, name }: KeyOwner) {
  return id === undefined
    ? sql<boolean>`(key_id is null and key_name = ${name})`
    : sql<boolean>`key_id = ${id}`;
}

async function findCall(db: Database, id: string, owner?: KeyOwner): Promise<LedgerCallDetail> {
  let select = db.selectFrom("calls").selectAll().where("id", "=", id);
  if (owner !== undefined) select = select.where(isOwnedBy(owner));
  const row = await select.executeTakeFirst();
  if (row === undefined) throw new AppError("not_found", `There is no call ${id}`);
  return {
    ...toCall(row),
    error_message: row.error_message,
    client: row.client,
    attempt_list: parse(row.attempt_list) ?? [],
    // Only admins may read bodies.
    captured: owner === undefined ? await findCapture(db, id) : null,
  };
}

async function listAudit(
  db: Database,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<Page<AuditEntry>> {
  let select = db.selectFrom("audit").selectAll();
  if (cursor !== undefined) select = select.where(isBefore(cursor));
  const rows = await select
    .orderBy("time", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return page(rows, limit, toEntry);
}

/** Returns the items of a page; `rows` has one more if there is another page. */
function page<Row extends { readonly time: number; readonly id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    items: shown.map(toItem),
    nextCursor: hasMore ? Buffer.from(`${last.time}:${last.id}`).toString("base64url") : null,
  };
}

/** Returns the SQL condition for the rows after a cursor. Throws `validation` if the cursor is malformed. */
function isBefore(cursor: string) {
  const match = /^(\d{1,16}):(.+)$/.exec(Buffer.from(cursor, "base64url").toString("utf8"));
  // PostgreSQL text cannot contain NUL.
  if (!match || match[2]?.includes("\0"))
    throw new AppError("validation", "Invalid cursor: use the next_cursor of an earlier response");
  return sql<boolean>`(time, id) < (${Number(match[1])}, ${match[2] ?? ""})`;
}

function toCall(row: Selectable<CallTable>) {
  return {
    id: row.id,
    time: new Date(row.time).toISOString(),
    key_id: row.key_id,
    key: row.key_name,
    team: row.team,
    tags: (parse(row.tags) ?? {}) as Record<string, string>,
    session: row.session,
    client_dialect: row.client_dialect,
    route: row.route,
    model: row.model,
    upstream: row.upstream,
    upstream_model: row.upstream_model,
    status: row.status,
    error_code: row.error_code,
    stream: row.stream === 1,
    ms: row.ms,
    ttft_ms: row.ttft_ms,
    attempts: row.attempts,
    input_tokens: row.input_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_write_tokens: row.cache_write_tokens,
    output_tokens: row.output_tokens,
    reasoning_tokens: row.reasoning_tokens,
    cost_usd: toUsd(row.cost_micros),
    unpriced: row.unpriced === 1,
    losses: (parse(row.losses) ?? []) as string[],
    replica: row.replica,
  };
}

function toEntry(row: Selectable<AuditTable>): AuditEntry {
  return {
    id: row.id,
    time: new Date(row.time).toISOString(),
    action: row.action,
    subject: row.subject,
    actor: row.actor,
    address: row.address,
    detail: parse(row.detail),
  };
}

function parse(json: string | null): unknown {
  return json === null ? undefined : JSON.parse(json);
}
