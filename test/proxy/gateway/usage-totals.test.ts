import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { bucketColumns, createDailyRollups, createRollups } from "../../../src/database/migrations-ledger.ts";
import type { Database } from "../../../src/database/open-database.ts";
import type { CallTable } from "../../../src/database/schema.ts";
import { findBucket } from "../../../src/proxy/gateway/ledger-histogram.ts";
import { pruneAll } from "../../../src/proxy/gateway/ledger-retention.ts";
import { parseLedgerRow } from "../../../src/proxy/gateway/ledger-row.ts";
import { writeCalls } from "../../../src/proxy/gateway/ledger-write.ts";
import { queryUsage } from "../../../src/proxy/gateway/usage.ts";
import { ENGINES, testDatabases } from "../../support/databases.ts";

const databases = testDatabases();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 8, 1);

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const amount = fc.integer({ min: 0, max: 1_000 });
/** Calls of three days, many of them within a second of an hour or a day. */
const time = fc.oneof(
  fc.integer({ min: 0, max: 3 * DAY - 1 }),
  fc
    .tuple(fc.integer({ min: 1, max: 71 }), fc.integer({ min: -2, max: 2 }))
    .map(([hour, ms]) => hour * HOUR + ms),
);
const call = fc.record({
  time,
  id: fc.uuid(),
  key: maybe(fc.constantFrom("alice", "bob")),
  key_id: maybe(fc.constantFrom("key_1", "key_2")),
  team: maybe(fc.constantFrom("search", "")),
  tags: maybe(fc.constantFrom({ floor: "1" }, { floor: "2", 'quote"': "\n" })),
  model: maybe(fc.constantFrom("m", "n", 'o "p"')),
  upstream: maybe(fc.constantFrom("a", "b")),
  status: fc.constantFrom(200, 200, 429, 502),
  error_code: maybe(fc.constant("cut")),
  ms: fc.double({ min: 0, max: 1e7, noNaN: true }),
  first_byte_ms: maybe(fc.double({ min: 0, max: 1e6, noNaN: true })),
  tokens: maybe(
    fc.record({ input: amount, cache_read: amount, cache_write: amount, output: amount, reasoning: amount }),
  ),
  cost: maybe(fc.integer({ min: 0, max: 1e9 }).map((micros) => micros / 1e6)),
});
const batch = fc.array(call, { minLength: 1, maxLength: 12 });

function toRows(calls: readonly { readonly time: number }[]): CallTable[] {
  return calls.flatMap(({ time: at, ...members }) => {
    const line = {
      ...members,
      time: new Date(START + at).toISOString(),
      route: "/v1/messages",
      stream: false,
    };
    return parseLedgerRow(JSON.stringify(line)) ?? [];
  });
}

const GROUP = ["key_id", "key_name", "team", "model", "upstream", "tags"] as const;
const DIMENSIONS: Record<string, readonly string[]> = {
  none: [],
  key: ["key_id", "key_name"],
  team: ["team"],
  model: ["model"],
  upstream: ["upstream"],
  all: GROUP,
};
const SUMS: Record<string, (row: CallTable) => number> = {
  calls: () => 1,
  errors: (row) => Number(row.status >= 400 || row.error_code !== null),
  input_tokens: (row) => row.input_tokens,
  cache_read_tokens: (row) => row.cache_read_tokens,
  cache_write_tokens: (row) => row.cache_write_tokens,
  output_tokens: (row) => row.output_tokens,
  reasoning_tokens: (row) => row.reasoning_tokens,
  cost_micros: (row) => row.cost_micros,
  unpriced_calls: (row) => row.unpriced,
};

type Totals = Record<string, Record<string, unknown>>;

/** Sums calls one by one, to compare with the table. */
function sumUp(rows: readonly CallTable[]): Totals {
  const totals: Record<string, Record<string, number | Record<string, number>>> = {};
  for (const row of rows)
    for (const [span, length] of [
      ["hour", HOUR],
      ["day", DAY],
    ] as const)
      for (const [dimension, kept] of Object.entries(DIMENSIONS)) {
        const group = GROUP.map((name) => (kept.includes(name) ? (row[name] ?? "") : ""));
        const id = JSON.stringify([span, dimension, row.time - (row.time % length), ...group]);
        totals[id] ??= { ms: {}, ttft: {} };
        const total = totals[id];
        for (const [name, amountOf] of Object.entries(SUMS))
          total[name] = Number(total[name] ?? 0) + amountOf(row);
        const count = (counts: unknown, ms: number) => {
          const histogram = counts as Record<string, number>;
          histogram[findBucket(ms)] = (histogram[findBucket(ms)] ?? 0) + 1;
        };
        count(total["ms"], row.ms);
        if (row.ttft_ms !== null) count(total["ttft"], row.ttft_ms);
      }
  return totals;
}

async function readTotals(db: Database): Promise<Totals> {
  const rows = await db.selectFrom("usage_totals").selectAll().execute();
  const entries = rows.map(
    ({ span, dimension, time: at, key_id, key_name, team, model, upstream, tags, ms, ttft, ...sums }) => [
      JSON.stringify([span, dimension, at, key_id, key_name, team, model, upstream, tags]),
      { ...sums, ms: JSON.parse(ms), ttft: JSON.parse(ttft) },
    ],
  );
  expect(entries.length).toBe(new Set(entries.map(([id]) => id)).size);
  return Object.fromEntries(entries);
}

describe.each(ENGINES)("the totals of calls on %s", (engine) => {
  it("equal the sums of all calls after random, repeated, concurrent and late batches and retention", async () => {
    const db = await databases.open(engine);
    const write = (calls: Parameters<typeof toRows>[0]) =>
      writeCalls(db, toRows(calls), randomUUID(), undefined, { file: "1", position: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), fc.nat(), async (batches, cut) => {
        for (const table of ["calls", "usage_totals", "log_positions"] as const)
          await db.deleteFrom(table).execute();
        const written = batches.slice(0, -1);
        for (const calls of written) await write(calls);
        // A process that was killed after its transaction: a replay begins before calls that are stored already.
        const again = written.flat().slice(cut % (written.flat().length + 1));
        // Two replicas write at once, partly the same calls.
        const last = batches.at(-1) ?? [];
        await Promise.all([write([...again, ...last]), write(last)]);
        const expected = sumUp(toRows(batches.flat()));
        expect(await readTotals(db)).toEqual(expected);
        const retention = { callsMs: DAY, capturesMs: DAY, responsesMs: DAY };
        await pruneAll(db, retention, START + 2 * DAY);
        expect(await readTotals(db)).toEqual(expected);
        // Late calls, of a day whose calls were deleted, and all remaining calls again.
        const late = toRows([{ ...last[0], id: "late", time: 7 } as { time: number }]);
        await writeCalls(db, late, randomUUID(), undefined, { file: "1", position: 2 });
        expect(await readTotals(db)).toEqual(sumUp([...toRows(batches.flat()), ...late]));
      }),
      { numRuns: 6 },
    );
  });

  it("are filled from the sums by hour of an earlier version", async () => {
    const location = await databases.locate(engine);
    const db = await databases.open(engine, location);
    const calls = toRows(fc.sample(call, { numRuns: 60, seed: 7 }));
    await db.schema.dropTable("usage_totals").execute();
    await createRollups(db as never, "usage_hours", "hour");
    await createDailyRollups(db as never);
    await sql`delete from kysely_migration where name >= '0008'`.execute(db);
    const groups = new Map<string, CallTable[]>();
    for (const row of calls) {
      const id = JSON.stringify([row.time - (row.time % HOUR), ...GROUP.map((name) => row[name] ?? "")]);
      groups.set(id, [...(groups.get(id) ?? []), row]);
    }
    for (const [id, members] of groups) {
      const [hour, ...group] = JSON.parse(id) as [number, ...string[]];
      const sums = Object.entries(SUMS).map(([name, amountOf]) => [
        name,
        members.reduce((sum, row) => sum + amountOf(row), 0),
      ]);
      const buckets = (prefix: "ms" | "ttft", latencyOf: (row: CallTable) => number | null) =>
        bucketColumns(prefix).map((name, bucket) => [
          name,
          members.filter((row) => {
            const ms = latencyOf(row);
            return ms !== null && findBucket(ms) === bucket;
          }).length,
        ]);
      const values = Object.fromEntries([
        ["hour", hour],
        ...GROUP.map((name, index) => [name, group[index]]),
        ...sums,
        ...buckets("ms", (row) => row.ms),
        ...buckets("ttft", (row) => row.ttft_ms),
      ]);
      await db
        .insertInto("usage_hours" as "usage_totals")
        .values(values as never)
        .execute();
    }
    const migrated = await databases.open(engine, location);
    expect(await readTotals(migrated)).toEqual(sumUp(calls));
    expect((await migrated.introspection.getTables()).map(({ name }) => name)).not.toContain("usage_days");
  });

  it("make reports by day and by all columns the same as individual calls", async () => {
    const db = await databases.open(engine);
    const calls = toRows(fc.sample(call, { numRuns: 100, seed: 3 }));
    await writeCalls(db, calls, "log", undefined, { file: "1", position: 1 });
    const reports = [
      { groupBy: ["day"] },
      { groupBy: ["key"], team: "search" },
      { groupBy: ["team", "day"] },
      { groupBy: ["model"], key: "alice" },
      { groupBy: ["upstream"] },
      { groupBy: ["key", "model"] },
      { groupBy: ["tag:floor"], model: "m", upstream: "a" },
      { groupBy: [], owner: { id: "key_1", name: "" } },
    ];
    for (const report of reports) {
      const whole = await queryUsage(db, { ...report, from: START, to: START + 3 * DAY });
      const open = await queryUsage(db, report);
      expect(open).toEqual(whole);
      // With `from` and `to` within an hour, the edges are summed from the calls.
      const edges = await queryUsage(db, { ...report, from: START - 1, to: START + 3 * DAY + 1 });
      expect(edges).toEqual(whole);
      const total = whole.reduce((sum, row) => sum + Number(row["calls"]), 0);
      const parts = await Promise.all(
        [0, 5, 17.5, 40, 72].map((hour, index, hours) =>
          index === 0
            ? []
            : queryUsage(db, {
                ...report,
                from: START + (hours[index - 1] ?? 0) * HOUR,
                to: START + hour * HOUR,
                groupBy: [],
              }),
        ),
      );
      expect(parts.flat().reduce((sum, row) => sum + Number(row["calls"]), 0)).toBe(total);
    }
  });
});
