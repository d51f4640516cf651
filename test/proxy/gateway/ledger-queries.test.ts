import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Database } from "../../../src/database/open-database.ts";
import { createLedgerQueries } from "../../../src/proxy/gateway/ledger-queries.ts";
import { parseLedgerRow } from "../../../src/proxy/gateway/ledger-row.ts";
import { writeCalls } from "../../../src/proxy/gateway/ledger-write.ts";
import { parseGroups } from "../../../src/proxy/gateway/usage.ts";
import { usageCsv } from "../../../src/proxy/gateway/usage-csv.ts";
import { ENGINES, testDatabases } from "../../support/databases.ts";
import { createCalls, type LoggedCall } from "../../support/ledger-calls.ts";

const databases = testDatabases();
const HOUR = 3_600_000;
const START = Date.UTC(2026, 8, 1);

async function write(db: Database, calls: readonly LoggedCall[]): Promise<void> {
  const rows = calls.flatMap((call) => parseLedgerRow(JSON.stringify(call)) ?? []);
  await writeCalls(db, rows, randomUUID(), undefined, { file: "1", position: 1 });
}

function tokensOf({ tokens }: LoggedCall): { input: number; cache_read: number; output: number } {
  return tokens as { input: number; cache_read: number; output: number };
}

/** Sums calls as a person would, one by one. */
function sumUp(calls: readonly LoggedCall[], groupOf: (call: LoggedCall) => (string | null)[]) {
  const groups = new Map<string, LoggedCall[]>();
  for (const call of calls) {
    const id = JSON.stringify(groupOf(call));
    groups.set(id, [...(groups.get(id) ?? []), call]);
  }
  return [...groups].map(([id, members]) => {
    const sum = (numberIn: (call: LoggedCall) => number) =>
      members.reduce((total, call) => total + numberIn(call), 0);
    return {
      group: JSON.parse(id) as (string | null)[],
      calls: members.length,
      errors: sum(({ status }) => (Number(status) >= 400 ? 1 : 0)),
      input_tokens: sum((call) => tokensOf(call).input),
      cache_read_tokens: sum((call) => tokensOf(call).cache_read),
      output_tokens: sum((call) => tokensOf(call).output),
      cost_usd: sum(({ cost = 0 }) => Math.round(Number(cost) * 1_000_000)) / 1_000_000,
      unpriced_calls: sum(({ cost }) => (cost === undefined ? 1 : 0)),
    };
  });
}

const groupIn: Record<string, (call: LoggedCall) => string | null> = {
  day: ({ time }) => time.slice(0, 10),
  key: ({ key }) => (key as string | undefined) ?? null,
  team: ({ team }) => (team as string | undefined) ?? null,
  model: ({ model }) => String(model),
  upstream: ({ upstream }) => String(upstream),
  "tag:floor": ({ tags }) => (tags as Record<string, string> | undefined)?.["floor"] ?? null,
  "tag:none": () => null,
};

describe.each(ENGINES)("the ledger's reports on %s", (engine) => {
  const calls = createCalls(600);
  const times = calls.map(({ time }) => Date.parse(time));

  it("sum up calls by each group, from totals by day and hour and parts of hours", async () => {
    const db = await databases.open(engine);
    await write(db, calls.slice(0, 250));
    await write(db, calls.slice(250));
    const { usage } = createLedgerQueries(db);
    const ranges = [
      [undefined, undefined],
      [START + 5 * HOUR + 1_234, START + 100 * HOUR + 77],
      [START + 5 * HOUR, START + 6 * HOUR],
      [START + 5 * HOUR + 1, START + 5 * HOUR + 2_000_000],
      [START + 7 * HOUR + 9, undefined],
      [undefined, START + 7 * HOUR + 9],
      [START, START],
    ] as const;
    const groupings = [
      [],
      ...Object.keys(groupIn).map((name) => [name]),
      ["day", "key"],
      ["tag:floor", "team"],
    ];
    for (const [from, to] of ranges) {
      const within = calls.filter(
        (_, index) => (times[index] ?? 0) >= (from ?? 0) && (times[index] ?? 0) < (to ?? Infinity),
      );
      for (const groupBy of groupings) {
        const rows = await usage({ from, to, groupBy });
        const expected = sumUp(within, (call) => groupBy.map((name) => groupIn[name]?.(call) ?? null));
        const actual = rows.map((row) => ({ ...row, group: groupBy.map((name) => row[name]) }));
        expect(actual).toHaveLength(expected.length);
        expect(actual).toEqual(expect.arrayContaining(expected.map((one) => expect.objectContaining(one))));
      }
    }
  });

  it("contain percentiles within their bucket, a factor of √2", async () => {
    const db = await databases.open(engine);
    await write(db, calls);
    const [row] = await createLedgerQueries(db).usage({ groupBy: [] });
    const exact = calls.map(({ ms }) => Number(ms)).sort((one, other) => one - other);
    for (const [name, share] of [
      ["p50_ms", 0.5],
      ["p95_ms", 0.95],
    ] as const) {
      const wanted = exact[Math.ceil(share * exact.length) - 1] ?? 0;
      expect(Number(row?.[name]) / wanted).toBeGreaterThan(Math.SQRT1_2);
      expect(Number(row?.[name]) / wanted).toBeLessThan(Math.SQRT2);
    }
  });

  it("are CSV with escaped quotes, commas and empty groups", async () => {
    const db = await databases.open(engine);
    await write(db, calls.slice(0, 3));
    const groupBy = parseGroups("key,tag:floor");
    const lines = usageCsv(await createLedgerQueries(db).usage({ groupBy }), groupBy).split("\r\n");
    expect(lines.map((line) => line.split(",").slice(0, 4).join(","))).toEqual([
      "key,tag:floor,calls,errors",
      ",,1,0",
      '"key ""1"", of 1",1,1',
      '"key ""2"", of 0",2,1',
      "",
    ]);
  });

  it("list calls newest first, in pages without gaps, also within one millisecond", async () => {
    const db = await databases.open(engine);
    const same = createCalls(25, (index) => START + Math.floor(index / 10));
    await write(db, same);
    const queries = createLedgerQueries(db);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await queries.calls({ cursor, limit: 4 });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(ids).toEqual(same.map(({ id }) => id).reverse());
    expect((await queries.calls({ limit: 25 })).nextCursor).toBe(null);
    for (const bad of ["x", "LTE6YQ", Buffer.from("1:\u0000").toString("base64url")])
      await expect(queries.calls({ cursor: bad, limit: 4 })).rejects.toMatchObject({ code: "validation" });
  });

  it("list the calls of a key, team, model, upstream, status, session and time", async () => {
    const db = await databases.open(engine);
    await write(db, calls);
    const queries = createLedgerQueries(db);
    const filters: [object, (call: LoggedCall) => boolean][] = [
      [{ key: "key_3" }, ({ key_id }) => key_id === "key_3"],
      [{ key: 'key "3", of 1' }, ({ key }) => key === 'key "3", of 1'],
      [{ team: "team 1" }, ({ team }) => team === "team 1"],
      [
        { model: "model 2", upstream: "other" },
        ({ model, upstream }) => model === "model 2" && upstream === "other",
      ],
      [{ status: 502 }, ({ status }) => status === 502],
      [{ session: "session 4" }, ({ session }) => session === "session 4"],
      [
        { from: START + HOUR, to: START + 9 * HOUR },
        ({ time }) => Date.parse(time) >= START + HOUR && Date.parse(time) < START + 9 * HOUR,
      ],
      [{ key: "nobody" }, () => false],
    ];
    for (const [filter, matches] of filters) {
      const { items } = await queries.calls({ ...filter, limit: 1_000 });
      expect(items.map(({ id }) => id)).toEqual(
        calls
          .filter(matches)
          .map(({ id }) => id)
          .reverse(),
      );
    }
    await expect(queries.call("req_none")).rejects.toMatchObject({ code: "not_found" });
    expect(await queries.call(calls[3]?.id ?? "")).toMatchObject({ key: 'key "3", of 1', attempt_list: [] });
  });
});
