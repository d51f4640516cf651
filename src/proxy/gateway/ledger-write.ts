import { CompiledQuery } from "kysely";
import { bucketColumns } from "../../database/migrations-ledger.ts";
import { type Database, getEngine, placeholder } from "../../database/open-database.ts";
import type { CallTable, UsageHourTable } from "../../database/schema.ts";
import type { Trx } from "./key-rows.ts";
import { countIn, emptyCounts, findBucket, type LatencyCounts } from "./ledger-histogram.ts";

/** The position up to which a request log has been copied to the database. */
export interface LogPosition {
  /** Identifies one of the log's files. */
  readonly file: string;
  readonly position: number;
}

/** The columns of `calls`, in the order in which rows are sent; with the type that PostgreSQL casts to. */
const COLUMNS = {
  id: "text",
  time: "bigint",
  key_id: "text",
  key_name: "text",
  team: "text",
  tags: "text",
  session: "text",
  client: "text",
  client_dialect: "text",
  route: "text",
  model: "text",
  upstream: "text",
  upstream_model: "text",
  status: "bigint",
  error_code: "text",
  error_message: "text",
  stream: "bigint",
  ms: "double precision",
  ttft_ms: "double precision",
  attempts: "bigint",
  attempt_list: "text",
  input_tokens: "bigint",
  cache_read_tokens: "bigint",
  cache_write_tokens: "bigint",
  output_tokens: "bigint",
  reasoning_tokens: "bigint",
  cost_micros: "bigint",
  unpriced: "bigint",
  losses: "text",
  replica: "text",
} as const satisfies Record<keyof CallTable, string>;
const NAMES = Object.keys(COLUMNS) as (keyof CallTable)[];

/**
 * Rows are sent as one JSON parameter: a query builder would take longer to compile 500 rows than the database takes to
 * write them.
 */
const INSERT = {
  sqlite: `insert into calls (${NAMES.join(", ")}) select ${NAMES.map((_, index) => `value ->> ${index}`).join(", ")}
    from json_each(?) where true on conflict (id) do nothing returning id`,
  postgres: `insert into calls (${NAMES.join(", ")})
    select ${NAMES.map((name, index) => `(value ->> ${index})::${COLUMNS[name]}`).join(", ")}
    from json_array_elements($1::json) on conflict (id) do nothing returning id`,
};

/**
 * Writes calls, their sums and the position in the log in one transaction. A call that is already stored is skipped, so
 * that a log can be replayed.
 */
export async function writeCalls(
  db: Database,
  rows: readonly CallTable[],
  log: string,
  at: LogPosition,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await addCalls(trx, db, rows);
    const position = { log, file: at.file, position: at.position };
    await trx
      .insertInto("log_positions")
      .values(position)
      .onConflict((conflict) => conflict.column("log").doUpdateSet(position))
      .execute();
  });
}

async function addCalls(trx: Trx, db: Database, calls: readonly CallTable[]): Promise<void> {
  if (calls.length === 0) return;
  const rows = calls.map(toStorable);
  const json = JSON.stringify(rows.map((row) => NAMES.map((name) => row[name])));
  const query = CompiledQuery.raw(INSERT[getEngine(db)], [json]);
  const { rows: inserted } = await trx.executeQuery<{ id: string }>(query);
  const ids = new Set(inserted.map(({ id }) => id));
  await addToRollups(
    trx,
    getEngine(db),
    rows.filter(({ id }) => ids.delete(id)),
  );
}

/** NUL and lone surrogates, which PostgreSQL cannot store; a client can send them in a model's name. */
const UNSTORABLE = /[\0\ud800-\udfff]/gu;

/** Returns the row with the text that PostgreSQL cannot store replaced by U+FFFD. */
function toStorable(row: CallTable): CallTable {
  const texts = NAMES.map((name) => {
    const value = row[name];
    return [name, typeof value === "string" ? value.replace(UNSTORABLE, "\ufffd") : value];
  });
  return Object.fromEntries(texts) as CallTable;
}

export const HOUR_MS = 3_600_000;

/** The sums of a group of calls. */
export interface CallSums {
  readonly sums: Record<(typeof SUMS)[number], number>;
  readonly ms: LatencyCounts;
  readonly ttft: LatencyCounts;
}

interface Rollup extends CallSums {
  readonly hour: number;
  /** The values of `GROUP`. */
  readonly group: readonly string[];
}

export const SUMS = [
  "calls",
  "errors",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cost_micros",
  "unpriced_calls",
] as const satisfies readonly (keyof UsageHourTable)[];
const GROUP = ["key_id", "key_name", "team", "model", "upstream", "tags"] as const;

/** Returns the sums of an empty group. */
export function noCalls(): CallSums {
  const sums = Object.fromEntries(SUMS.map((name) => [name, 0])) as CallSums["sums"];
  return { sums, ms: emptyCounts(), ttft: emptyCounts() };
}

/** The condition of a call that counts as an error, in SQL; see `addCall`. */
export const IS_ERROR = "(status >= 400 or error_code is not null)";

/** Adds a call to the sums of its group. */
function addCall({ sums, ms, ttft }: CallSums, row: CallTable): void {
  sums.calls += 1;
  if (row.status >= 400 || row.error_code !== null) sums.errors += 1;
  sums.input_tokens += row.input_tokens;
  sums.cache_read_tokens += row.cache_read_tokens;
  sums.cache_write_tokens += row.cache_write_tokens;
  sums.output_tokens += row.output_tokens;
  sums.reasoning_tokens += row.reasoning_tokens;
  sums.cost_micros += row.cost_micros;
  sums.unpriced_calls += row.unpriced;
  countIn(ms, findBucket(row.ms));
  if (row.ttft_ms !== null) countIn(ttft, findBucket(row.ttft_ms));
}

async function addToRollups(
  trx: Trx,
  engine: "sqlite" | "postgres",
  rows: readonly CallTable[],
): Promise<void> {
  const rollups = new Map<string, Rollup>();
  for (const row of rows) addToRollup(rollups, row);
  // In the same order in every replica, which prevents deadlocks.
  const sorted = [...rollups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, rollup]) => rollup);
  for (const rollup of sorted)
    await trx.executeQuery(CompiledQuery.raw(UPSERT_HOUR[engine], toValues(rollup, rollup.hour)));
  // Calls of days that are summed already, such as those that a stopped machine had in its log.
  const until = await readSummedUntil(trx, engine);
  for (const rollup of sorted.filter(({ hour }) => hour < until))
    await trx.executeQuery(CompiledQuery.raw(UPSERT_DAY[engine], toValues(rollup, startOfDay(rollup.hour))));
}

function addToRollup(rollups: Map<string, Rollup>, row: CallTable): void {
  const hour = row.time - (row.time % HOUR_MS);
  const texts = [row.key_id, row.key_name, row.team, row.model, row.upstream, row.tags];
  const group = texts.map((text) => text ?? "");
  const id = JSON.stringify([hour, ...group]);
  const rollup = rollups.get(id) ?? { hour, group, ...noCalls() };
  rollups.set(id, rollup);
  addCall(rollup, row);
}

const ADDED = [...SUMS, ...bucketColumns("ms"), ...bucketColumns("ttft")];
const UPSERT_HOUR = upserts("usage_hours", "hour");
const UPSERT_DAY = upserts("usage_days", "day");

/** Returns the statement that adds a rollup to a table, for each engine. */
function upserts(table: "usage_hours" | "usage_days", time: "hour" | "day") {
  const names = [time, ...GROUP, ...ADDED];
  const added = ADDED.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ");
  const statement = (parameter: (index: number) => string) =>
    `insert into ${table} (${names.join(", ")}) values (${names.map((_, index) => parameter(index)).join(", ")})
    on conflict (${[time, ...GROUP].join(", ")}) do update set ${added}`;
  return { sqlite: statement(() => "?"), postgres: statement((index) => `$${index + 1}`) };
}

function toValues({ group, sums, ms, ttft }: Rollup, time: number): (string | number)[] {
  return [time, ...group, ...SUMS.map((name) => sums[name]), ...ms, ...ttft];
}

const DAY_MS = 86_400_000;

/** Returns the beginning of a day in UTC. */
export function startOfDay(time: number): number {
  return time - (time % DAY_MS);
}

/**
 * Returns until when `usage_days` is complete. On PostgreSQL, the row is locked until the transaction ends: shared by writers
 * of calls, exclusively while a day is summed.
 */
async function readSummedUntil(
  trx: Trx | Database,
  engine: "sqlite" | "postgres",
  lock: "share" | "update" | undefined = "share",
): Promise<number> {
  const locking = engine === "postgres" && lock !== undefined ? ` for ${lock}` : "";
  const query = CompiledQuery.raw(`select summed_until from usage_days_state where id = 1${locking}`);
  const { rows } = await trx.executeQuery<{ summed_until: number }>(query);
  return Number(rows[0]?.summed_until ?? 0);
}

/** Returns until when `usage_days` is complete, in milliseconds since 1970. */
export function summedUntil(db: Database): Promise<number> {
  return readSummedUntil(db, getEngine(db), undefined);
}

/**
 * Sums the next day that ended before `end` from its hours. Returns false if there is none. Several replicas may do this at
 * once.
 */
export function sumNextDay(db: Database, end: number): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const until = await readSummedUntil(trx, getEngine(db), "update");
    if (until >= end) return false;
    const hours = trx.selectFrom("usage_hours").where("hour", ">=", until).where("hour", "<", end);
    const { first } = await hours
      .select((select) => select.fn.min("hour").as("first"))
      .executeTakeFirstOrThrow();
    const isEmpty = first === null || first === undefined;
    const day = isEmpty ? end : startOfDay(Number(first));
    if (!isEmpty) {
      const names = [...GROUP, ...ADDED].join(", ");
      const sums = ADDED.map((name) => `sum(${name})`).join(", ");
      const mark = (number: number) => placeholder(db, number);
      await trx.executeQuery(
        CompiledQuery.raw(
          `insert into usage_days (day, ${names}) select cast(${mark(1)} as bigint), ${GROUP.join(", ")}, ${sums}
          from usage_hours where hour >= ${mark(2)} and hour < ${mark(3)} group by ${GROUP.join(", ")}`,
          [day, day, day + DAY_MS],
        ),
      );
    }
    const next = isEmpty ? end : day + DAY_MS;
    await trx.updateTable("usage_days_state").set({ summed_until: next }).where("id", "=", 1).execute();
    return !isEmpty;
  });
}
