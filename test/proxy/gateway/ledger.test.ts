import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../src/database/open-database.ts";
import { createLedger, type Ledger } from "../../../src/proxy/gateway/ledger.ts";
import { createLedgerQueries } from "../../../src/proxy/gateway/ledger-queries.ts";
import { pruneAll } from "../../../src/proxy/gateway/ledger-retention.ts";
import { ENGINES, testDatabases } from "../../support/databases.ts";
import { callLine, createCalls } from "../../support/ledger-calls.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const databases = testDatabases();
const DAY = 86_400_000;

async function logFile(): Promise<string> {
  const log = join(await temporaryFolder(), "requests.ndjson");
  writeFileSync(log, "");
  return log;
}

function startLedger(db: Database, log: string): Ledger {
  const ledger = createLedger({
    db,
    log,
    logId: `test:${log}`,
    retentionMs: () => 365 * DAY,
    onFailure: () => {},
    onRecovery: () => {},
  });
  onTestFinished(() => ledger.close());
  return ledger;
}

async function countCalls(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom("calls")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function countInTotals(db: Database): Promise<number> {
  const totals = db.selectFrom("usage_totals").where("span", "=", "hour").where("dimension", "=", "all");
  return (await totals.select("calls").execute()).reduce((sum, { calls }) => sum + calls, 0);
}

describe.each(ENGINES)("the ledger on %s", (engine) => {
  it("contains each call of the log once, however often the log is read", async () => {
    const db = await databases.open(engine);
    const log = await logFile();
    appendFileSync(log, createCalls(700).map(callLine).join(""));
    await startLedger(db, log).close();
    expect([await countCalls(db), await countInTotals(db)]).toEqual([700, 700]);
    await db.deleteFrom("log_positions").execute();
    await startLedger(db, log).close();
    expect([await countCalls(db), await countInTotals(db)]).toEqual([700, 700]);
  });

  it("continues at the position of an earlier process, through a rotated log", async () => {
    const db = await databases.open(engine);
    const log = await logFile();
    const calls = createCalls(30);
    appendFileSync(log, calls.slice(0, 10).map(callLine).join(""));
    await startLedger(db, log).close();
    appendFileSync(log, calls.slice(10, 20).map(callLine).join(""));
    renameSync(log, `${log}.1`);
    appendFileSync(log, calls.slice(20).map(callLine).join(""));
    const ledger = startLedger(db, log);
    expect(await ledger.needs(`${log}.1`)).toBe(true);
    await ledger.close();
    expect(await countCalls(db)).toBe(30);
    expect(await ledger.needs(`${log}.1`)).toBe(false);
  });

  it("gives a database that was replaced or restored meanwhile the calls that it lacks", async () => {
    const db = await databases.open(engine);
    const log = await logFile();
    const lines = createCalls(30).map(callLine);
    const ledger = startLedger(db, log);
    const appendTen = async (from: number) => {
      appendFileSync(log, lines.slice(from, from + 10).join(""));
      await ledger.flush();
    };
    await appendTen(0);
    const backup = await db.selectFrom("log_positions").selectAll().executeTakeFirstOrThrow();
    const saved = await db.selectFrom("calls").select("id").execute();
    await appendTen(10);
    await db
      .deleteFrom("calls")
      .where(
        "id",
        "not in",
        saved.map(({ id }) => id),
      )
      .execute();
    await db.updateTable("log_positions").set(backup).execute();
    await appendTen(20);
    expect(await countCalls(db)).toBe(30);
    for (const table of ["calls", "usage_totals", "log_positions"] as const)
      await db.deleteFrom(table).execute();
    appendFileSync(log, createCalls(31).slice(30).map(callLine).join(""));
    await ledger.flush();
    expect([await countCalls(db), await countInTotals(db)]).toEqual([31, 31]);
  });

  it("contains each call once if two processes copy the same log", async () => {
    const db = await databases.open(engine);
    const log = await logFile();
    const ledgers = [startLedger(db, log), startLedger(db, log)];
    const lines = createCalls(60).map(callLine);
    for (let from = 0; from < lines.length; from += 10) {
      appendFileSync(log, lines.slice(from, from + 10).join(""));
      await Promise.all(ledgers.map((ledger) => ledger.flush()));
    }
    expect([await countCalls(db), await countInTotals(db)]).toEqual([60, 60]);
  });

  it("waits for complete lines, and skips lines that do not describe calls", async () => {
    const db = await databases.open(engine);
    const log = await logFile();
    const [first = "", second = ""] = createCalls(2).map(callLine);
    appendFileSync(
      log,
      `{"time":"2026-01-01T00:00:00Z","status":401}\nnot JSON\n${first}${second.slice(0, 40)}`,
    );
    await startLedger(db, log).close();
    expect(await countCalls(db)).toBe(1);
    appendFileSync(log, second.slice(40));
    await startLedger(db, log).close();
    expect(await countCalls(db)).toBe(2);
  });

  it("contains calls whose vendors report counts that are negative, not whole or too large", async () => {
    const db = await databases.open(engine);
    const log = await logFile();
    const odd = [
      { tokens: { input: -1, output: 2.5 }, cost: -0.5 },
      { tokens: { input: 1e30, output: 1 }, cost: 1e24 },
    ];
    for (const [index, call] of createCalls(3).entries())
      appendFileSync(log, callLine({ ...call, ...odd[index] }));
    await startLedger(db, log).close();
    const { items } = await createLedgerQueries(db).calls({ limit: 10 });
    expect(items).toHaveLength(3);
    expect(items[2]).toMatchObject({ input_tokens: 0, output_tokens: 3, cost_usd: 0 });
    expect(items[1]).toMatchObject({ input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 1 });
    expect(await countInTotals(db)).toBe(3);
  });

  it("stores texts with characters that PostgreSQL does not support", async () => {
    const db = await databases.open(engine);
    const log = await logFile();
    const [call] = createCalls(1);
    const tags = { "t\u0000": "\udfff" };
    appendFileSync(log, callLine({ ...call, model: "a\u0000b\ud800c😀", key: "\u0000", tags }));
    await startLedger(db, log).close();
    const queries = createLedgerQueries(db);
    const model = "a\ufffdb\ufffdc😀";
    expect((await queries.calls({ limit: 1 })).items).toMatchObject([{ model, key: "\ufffd", tags }]);
    expect(await queries.usage({ groupBy: ["model", "tag:t\u0000"] })).toMatchObject([
      { model, "tag:t\u0000": "\udfff", calls: 1 },
    ]);
  });

  it("deletes calls after their retention and keeps their sums", async () => {
    const db = await databases.open(engine);
    const log = await logFile();
    const now = Date.now();
    const calls = createCalls(40, (index) => now - index * DAY);
    appendFileSync(log, calls.map(callLine).join(""));
    await startLedger(db, log).close();
    await pruneAll(db, { callsMs: 9.5 * DAY, capturesMs: DAY, responsesMs: DAY }, now);
    expect([await countCalls(db), await countInTotals(db)]).toEqual([10, 40]);
    const rows = await createLedgerQueries(db).usage({ groupBy: ["day"] });
    expect(rows).toHaveLength(40);
    await pruneAll(db, { callsMs: 9.5 * DAY, capturesMs: DAY, responsesMs: DAY }, now + 3 * 366 * DAY);
    expect([await countCalls(db), await countInTotals(db)]).toEqual([0, 0]);
  });
});
