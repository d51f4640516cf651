import { CompiledQuery } from "kysely";
import { type Database, getEngine } from "../../database/open-database.ts";
import type { CallTable } from "../../database/schema.ts";
import type { Trx } from "./key-rows.ts";
import { addToTotals } from "./usage-totals.ts";

/** The position up to which a request log has been copied to the database. */
export interface LogPosition {
  /** Identifies one of the log's files. */
  readonly file: string;
  readonly position: number;
}

/** The columns of `calls`, in the order in which rows are sent, with the types to which PostgreSQL casts them. */
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
 * SQLite prepares one statement and runs it for each row. PostgreSQL receives the rows as one JSON parameter: a query
 * builder would take longer to compile 500 rows than the database takes to write them.
 */
const INSERT = {
  sqlite: `insert into calls (${NAMES.join(", ")}) values (${NAMES.map(() => "?").join(", ")}) on conflict (id) do nothing`,
  postgres: `insert into calls (${NAMES.join(", ")})
    select ${NAMES.map((name, index) => `(value ->> ${index})::${COLUMNS[name]}`).join(", ")}
    from json_array_elements($1::json) on conflict (id) do nothing returning id`,
};

/**
 * Writes calls, their totals and the position in the log in one transaction. A call that is already stored is skipped,
 * so that a log can be replayed. Writes nothing and returns false if the position in the database is not `from`: the
 * database may have been replaced or restored, or another process copies the same log.
 */
export async function writeCalls(
  db: Database,
  rows: readonly CallTable[],
  log: string,
  from: LogPosition | undefined,
  to: LogPosition,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const isMoved = await movePosition(trx, log, from, to);
    if (isMoved) await addCalls(trx, db, rows);
    return isMoved;
  });
}

async function movePosition(
  trx: Trx,
  log: string,
  from: LogPosition | undefined,
  { file, position }: LogPosition,
): Promise<boolean> {
  const changed =
    from === undefined
      ? trx
          .insertInto("log_positions")
          .values({ log, file, position })
          .onConflict((conflict) => conflict.column("log").doNothing())
          .returning("log")
      : trx
          .updateTable("log_positions")
          .set({ file, position })
          .where("log", "=", log)
          .where("file", "=", from.file)
          .where("position", "=", from.position)
          .returning("log");
  return (await changed.executeTakeFirst()) !== undefined;
}

async function addCalls(trx: Trx, db: Database, calls: readonly CallTable[]): Promise<void> {
  if (calls.length === 0) return;
  const rows = calls.map(toStorable);
  const lists = rows.map((row) => NAMES.map((name) => row[name]));
  await addToTotals(trx, getEngine(db), await insertCalls(trx, getEngine(db), rows, lists));
}

/** Inserts the rows, given as objects and as lists. Returns those that were not stored already. */
async function insertCalls(
  trx: Trx,
  engine: ReturnType<typeof getEngine>,
  rows: readonly CallTable[],
  lists: readonly (readonly CallTable[keyof CallTable][])[],
): Promise<readonly CallTable[]> {
  if (engine === "sqlite") {
    const query = CompiledQuery.raw(INSERT.sqlite, [...lists]);
    const { rows: runs } = await trx.executeQuery<{ changes: number }>(query);
    return rows.filter((_, index) => runs[index]?.changes === 1);
  }
  const query = CompiledQuery.raw(INSERT.postgres, [JSON.stringify(lists)]);
  const { rows: inserted } = await trx.executeQuery<{ id: string }>(query);
  const ids = new Set(inserted.map(({ id }) => id));
  return rows.filter(({ id }) => ids.delete(id));
}

/** Matches NUL and lone surrogates, which PostgreSQL cannot store. A client can send them in a model's name. */
const UNSTORABLE = /[\0\ud800-\udfff]/u;
const EVERY_UNSTORABLE = new RegExp(UNSTORABLE, "gu");

/** Returns the row with the text that PostgreSQL cannot store replaced by U+FFFD. */
function toStorable(row: CallTable): CallTable {
  if (!Object.values(row).some((value) => typeof value === "string" && UNSTORABLE.test(value))) return row;
  const texts = NAMES.map((name) => {
    const value = row[name];
    return [name, typeof value === "string" ? value.replace(EVERY_UNSTORABLE, "\ufffd") : value];
  });
  return Object.fromEntries(texts) as CallTable;
}
