import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Database, openDatabase } from "../../../src/database/open-database.ts";
import { createLedgerQueries } from "../../../src/proxy/gateway/ledger-queries.ts";
import { parseLedgerRow } from "../../../src/proxy/gateway/ledger-row.ts";
import { writeCalls } from "../../../src/proxy/gateway/ledger-write.ts";
import { queryUsage } from "../../../src/proxy/gateway/usage.ts";
import { sqliteWorkerFiles } from "../../support/sqlite-worker.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const START = Date.UTC(2026, 10, 23, 5);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Call {
  readonly at: number;
  readonly [member: string]: unknown;
}

async function ledgerOf(calls: readonly Call[]): Promise<Database> {
  const path = join(await temporaryFolder(), "sallyport.db");
  const db = await openDatabase({ engine: "sqlite", path }, sqliteWorkerFiles);
  onTestFinished(() => db.destroy());
  const rows = calls.flatMap(({ at, ...members }, index) => {
    const call = { time: new Date(at).toISOString(), id: `req_${index}`, route: "/v1/messages", model: "m" };
    const line = { ...call, upstream: "a", status: 200, ms: 100, stream: false, ...members };
    return parseLedgerRow(JSON.stringify(line)) ?? [];
  });
  expect(rows).toHaveLength(calls.length);
  await writeCalls(db, rows, "log", undefined, { file: "file", position: 1 });
  return db;
}

describe("usage reports", () => {
  const calls = [
    { at: START + 1, ms: 0.5, first_byte_ms: 0.2, key: "alice", key_id: "key_1", team: "search" },
    { at: START + MINUTE, ms: 64, status: 500, key: "alice", key_id: "key_1", team: "search" },
    { at: START + 59 * MINUTE, ms: 4, first_byte_ms: 3, key: "key_1", model: "n", cost: 0.25, tokens: {} },
    { at: START + HOUR, ms: 9e9, upstream: "b", tokens: { input: 7, output: 2 } },
  ];

  it("sum calls by minute and by hour", async () => {
    const db = await ledgerOf(calls);
    const byMinute = await queryUsage(db, { from: START, to: START + 2 * HOUR, groupBy: ["minute"] });
    expect(byMinute.map((row) => [row["minute"], row["calls"], row["errors"]])).toEqual([
      ["2026-11-23T05:00:00.000Z", 1, 0],
      ["2026-11-23T05:01:00.000Z", 1, 1],
      ["2026-11-23T05:59:00.000Z", 1, 0],
      ["2026-11-23T06:00:00.000Z", 1, 0],
    ]);
    const byHour = await queryUsage(db, { from: START, groupBy: ["hour"] });
    expect(byHour.map((row) => [row["hour"], row["calls"]])).toEqual([
      ["2026-11-23T05:00:00.000Z", 3],
      ["2026-11-23T06:00:00.000Z", 1],
    ]);
    await expect(queryUsage(db, { from: START - 25 * HOUR, to: START, groupBy: ["minute"] })).rejects.toThrow(
      "24 hours",
    );
  });

  it("are the same from individual calls and from totals", async () => {
    const db = await ledgerOf(calls);
    for (const groupBy of [[], ["model", "upstream"], ["key", "team"], ["day"]]) {
      const rolled = await queryUsage(db, { from: START, to: START + 2 * HOUR, groupBy });
      // Partial hours at both ends are summed from the calls.
      const single = await queryUsage(db, { from: START + 1, to: START + HOUR + 1, groupBy });
      expect(single).toEqual(rolled);
    }
  });

  it("are filtered by key, team, model or upstream, and separate calls of an owner from those of a namesake", async () => {
    const db = await ledgerOf(calls);
    const count = async (filter: object, from = START) => {
      const [row] = await queryUsage(db, { from, groupBy: [], ...filter });
      return row?.["calls"] ?? 0;
    };
    for (const from of [START, START + 1]) {
      expect(await count({ team: "search" }, from)).toBe(2);
      expect(await count({ model: "n" }, from)).toBe(1);
      expect(await count({ upstream: "b" }, from)).toBe(1);
      expect(await count({ key: "alice" }, from)).toBe(2);
      expect(await count({ owner: { id: "key_1", name: "alice" } }, from)).toBe(2);
      expect(await count({ owner: { id: undefined, name: "key_1" } }, from)).toBe(1);
      expect(await count({ owner: { id: undefined, name: "alice" } }, from)).toBe(0);
    }
  });
});

describe("the list of calls", () => {
  const calls = [
    { at: START, key: "alice", key_id: "key_1", model: "Claude-Opus" },
    {
      at: START + 1,
      key: "bob",
      key_id: "key_2",
      status: 529,
      error_code: "overloaded",
      fault: "100% full_up",
    },
    { at: START + 2, key: "alice", session: "s1", error_code: "cut", model: "100 x" },
  ];
  const idsOf = async (db: Database, query: object) => {
    const { items } = await createLedgerQueries(db).calls({ limit: 10, ...query });
    return items.map(({ id }) => id);
  };

  it("finds ids, sessions and parts of texts in any case, and has no wildcards", async () => {
    const db = await ledgerOf(calls);
    expect(await idsOf(db, { q: "req_1" })).toEqual(["req_1"]);
    expect(await idsOf(db, { q: "s1" })).toEqual(["req_2"]);
    expect(await idsOf(db, { q: "claude-OPUS" })).toEqual(["req_0"]);
    expect(await idsOf(db, { q: "100%" })).toEqual(["req_1"]);
    expect(await idsOf(db, { q: "full_up" })).toEqual(["req_1"]);
    expect(await idsOf(db, { q: "l_ude" })).toEqual([]);
    expect(await idsOf(db, { q: "!" })).toEqual([]);
  });

  it("finds texts with capital letters beyond ASCII", async () => {
    const db = await ledgerOf([{ at: START, key: "Ökoteam" }]);
    expect(await idsOf(db, { q: "Ökot" })).toEqual(["req_0"]);
    expect(await idsOf(db, { q: "KOTEAM" })).toEqual(["req_0"]);
  });

  it("separates failed calls from others, including those that failed after their status", async () => {
    const db = await ledgerOf(calls);
    expect(await idsOf(db, { outcome: "error" })).toEqual(["req_2", "req_1"]);
    expect(await idsOf(db, { outcome: "ok" })).toEqual(["req_0"]);
  });

  it("does not count client disconnects as errors, in lists, calls and totals", async () => {
    const db = await ledgerOf([
      { at: START, status: 499, error_code: "client_gone" },
      { at: START + 1, status: 200, error_code: "client_gone", stream: true },
      { at: START + 2, status: 500, error_code: "upstream_error" },
    ]);
    expect(await idsOf(db, { outcome: "error" })).toEqual(["req_2"]);
    expect(await idsOf(db, { outcome: "ok" })).toEqual(["req_1", "req_0"]);
    const span = { from: START, to: START + HOUR };
    for (const query of [{ ...span, groupBy: ["minute"] }, { ...span, groupBy: ["hour"] }, { groupBy: [] }]) {
      const [row] = await queryUsage(db, query);
      expect(row).toMatchObject({ calls: 3, errors: 1 });
    }
  });

  it("shows an owner only its own calls", async () => {
    const db = await ledgerOf(calls);
    const queries = createLedgerQueries(db);
    expect(await idsOf(db, { owner: { id: "key_1", name: "alice" } })).toEqual(["req_0"]);
    expect(await idsOf(db, { owner: { id: undefined, name: "alice" } })).toEqual(["req_2"]);
    await expect(queries.call("req_1", { id: "key_1", name: "alice" })).rejects.toThrow("no call req_1");
    expect(await queries.call("req_0", { id: "key_1", name: "alice" })).toMatchObject({ id: "req_0" });
  });
});
