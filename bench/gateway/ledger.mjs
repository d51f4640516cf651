// Measures usage reports, the dashboard's overview and lists of calls over a large ledger, through the admin API of the
// built proxy. SQL statements fill the database: keys and teams with budgets, calls, and their totals by hour and day.
//   npm run build && node bench/gateway/ledger.mjs [--calls 5] [--keys 1000] [--teams 100] [--days 90]
//     [--engine sqlite,postgres]
// `--calls` is the number per key and hour: 5 × 24 × 90 × 1,000 = 10.8 million rows.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import sqlite from "node-sqlite3-wasm";
import pg from "pg";
import { startProxy } from "../proxy/start-proxy.mjs";
import { machine, median, middleHalf, table } from "../report.mjs";
import { startPostgres } from "./servers.mjs";

const { values: flags } = parseArgs({
  options: {
    calls: { type: "string", default: "5" },
    keys: { type: "string", default: "1000" },
    teams: { type: "string", default: "100" },
    days: { type: "string", default: "90" },
    engine: { type: "string", default: "sqlite,postgres" },
    rounds: { type: "string", default: "7" },
  },
});
const [calls, keys, teams, days] = [flags.calls, flags.keys, flags.teams, flags.days].map(Number);
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const lastHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const hours = days * 24;
const firstHour = lastHour - hours * HOUR_MS;
const rows = hours * keys * calls;
const iso = (time) => new Date(time).toISOString();
const from30 = iso(today - 29 * DAY_MS);

/**
 * The measured requests. All `paths` of an entry are requested at once; `limits` are the milliseconds that each engine
 * may take.
 */
const reports = [
  {
    title: "usage by day and key, 30 days",
    paths: [`/usage?group_by=day,key&from=${from30}`],
    limits: { sqlite: 2_000, postgres: 1_000 },
  },
  { title: `usage by day and key, ${days} days`, paths: ["/usage?group_by=day,key"], limits: {} },
  {
    title: "dashboard, 30 days (three reports at once)",
    paths: [
      `/usage?from=${from30}`,
      `/usage?from=${from30}&group_by=model`,
      `/usage?from=${from30}&group_by=day`,
    ],
    limits: { sqlite: 300, postgres: 300 },
  },
  {
    title: "dashboard, 7 days by hour (three reports at once)",
    paths: ["", "&group_by=key", "&group_by=hour"].map(
      (groupBy) => `/usage?from=${iso(lastHour - 167 * HOUR_MS)}${groupBy}`,
    ),
    limits: { sqlite: 300, postgres: 300 },
  },
  {
    title: "dashboard, 24 hours",
    paths: [`/usage?from=${iso(lastHour - 23 * HOUR_MS)}&group_by=hour`],
    limits: {},
  },
  {
    title: "usage by key and model, 30 days",
    paths: [`/usage?group_by=key,model&from=${from30}`],
    limits: {},
  },
  { title: "newest 100 calls", paths: ["/calls?limit=100"], limits: {} },
  { title: "newest 100 calls of a key", paths: [`/calls?limit=100&key=key%20${keys >> 1}`], limits: {} },
  { title: "all keys", paths: [`/keys?limit=1000`], limits: {} },
];

/**
 * Returns the statements that fill the tables. `series(from, to, name)` returns a table of numbers, `pad(number)` a
 * text of 12 digits.
 */
function statements(series, pad) {
  const number = (text) => `cast(${text} as bigint)`;
  const group = (key) =>
    `'key_' || ${pad(key)} as key_id, 'key ' || ${key} as key_name, 'team ' || (${key} % ${teams}) as team,
    'model ' || (${key} % 6) as model, 'vendor' as upstream`;
  const groupNames = ["key_id", "key_name", "team", "model", "upstream", "tags"];
  const sumNames =
    "calls, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_micros, unpriced_calls, ms, ttft";
  // The calls of a few models have durations in about this many buckets.
  const histogram = (buckets) =>
    `'{${Array.from({ length: buckets }, (_, index) => `"${9 + index}":${index + 1}`).join(",")}}'`;
  /** Returns the statement that sums the rows of `from`, which have a time, a group and a count. */
  const totals = (span, dimension, columns, from, buckets) => {
    const names = groupNames.map((name) => (columns.includes(name) ? name : `'' as ${name}`));
    return `insert into usage_totals (span, dimension, time, ${groupNames.join(", ")}, ${sumNames})
      select '${span}', '${dimension}', time, ${names.join(", ")}, sum(n), 0, sum(n) * 500, 0, 0, sum(n) * 100, 0, sum(n) * 1000, 0,
      ${histogram(buckets)}, ${histogram(buckets)} from ${from} group by ${["time", ...columns].join(", ")}`;
  };
  const dimensions = {
    none: [],
    key: ["key_id", "key_name"],
    team: ["team"],
    model: ["model"],
    upstream: ["upstream"],
    all: groupNames,
  };
  const byHour = `(select ${firstHour} + ${number("h")} * ${HOUR_MS} as time, ${group("k")}, '' as tags, ${calls} as n
    from ${series(0, hours - 1, "h")} cross join ${series(0, keys - 1, "k")}) as hours`;
  const byDay = `(select time - time % ${DAY_MS} as time, ${groupNames.join(", ")}, calls as n
    from usage_totals where span = 'hour' and dimension = 'all') as days`;
  const budgets = `'{"rpm":6000,"budgets":[{"usd":1000000,"period":"day"},{"usd":9000000,"period":"total"}]}'`;
  return [
    `insert into teams (name, created_at, tags, limits) select 'team ' || t, 0, '{}', ${budgets} from ${series(0, teams - 1, "t")}`,
    `insert into gateway_keys (id, name, team, created_at, tags, role, limits, first_start)
      select 'key_' || ${pad("k")}, 'key ' || k, 'team ' || (k % ${teams}), 0, '{}', 'user', ${budgets}, 0 from ${series(0, keys - 1, "k")}`,
    "update revisions set revision = revision + 1",
    "drop index calls_key",
    `insert into calls (id, time, key_id, key_name, team, model, upstream, route, client_dialect, status, stream, attempts,
      input_tokens, output_tokens, cost_micros, unpriced, ms, ttft_ms, replica)
      select 'req_' || ${pad(`(${number("h")} * ${calls} + n) * ${keys} + k`)}, ${firstHour} + ${number("h")} * ${HOUR_MS} + n * ${Math.floor(HOUR_MS / calls)} + k,
      ${group("k")}, '/v1/messages', 'messages', 200, 1, 1, 500, 100, 1000, 0, 64, 16, 'bench'
      from ${series(0, hours - 1, "h")} cross join ${series(0, calls - 1, "n")} cross join ${series(0, keys - 1, "k")}`,
    "create index calls_key on calls (key_id, time)",
    ...Object.entries(dimensions).map(([name, columns]) => totals("hour", name, columns, byHour, 5)),
    ...Object.entries(dimensions).map(([name, columns]) => totals("day", name, columns, byDay, 10)),
    "analyze",
  ];
}

const engines = {
  async sqlite(folder) {
    const path = join(folder, "ledger.db");
    return {
      url: `sqlite:${path}`,
      async run() {
        const db = new sqlite.Database(path);
        db.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -500000");
        const series = (from, to, name) =>
          `(with recursive s(${name}) as (select ${from} union all select ${name} + 1 from s where ${name} < ${to}) select ${name} from s) as s_${name}`;
        for (const text of statements(series, (value) => `printf('%012d', ${value})`))
          await timed(text, () => db.exec(text));
        db.exec("pragma journal_mode = delete");
        db.close();
      },
      bytes: async () => statSync(path).size,
      stop: async () => {},
    };
  },
  async postgres() {
    const server = await startPostgres();
    const query = async (text) => {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    };
    return {
      url: server.url,
      async run() {
        const series = (from, to, name) => `generate_series(${from}, ${to}) as s_${name}(${name})`;
        const texts = statements(series, (value) => `lpad((${value})::text, 12, '0')`);
        for (const text of texts) await timed(text, () => query(text));
        await query("vacuum analyze");
      },
      bytes: async () => Number((await query("select pg_database_size('postgres') as size"))[0].size),
      stop: server.stop,
    };
  },
};

/** Runs a statement, and prints how long it took if that was more than 2 s. */
async function timed(text, run) {
  const began = performance.now();
  const result = await run();
  const seconds = (performance.now() - began) / 1_000;
  if (seconds > 2)
    process.stderr.write(`  ${seconds.toFixed(0)} s: ${text.slice(0, 60).replace(/\s+/g, " ")} …\n`);
  return result;
}

async function open(folder, database) {
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ proxy: { database } }));
  const began = performance.now();
  const proxy = await startProxy({ folder, config });
  const startMs = performance.now() - began;
  const stop = async () => {
    proxy.child.kill("SIGTERM");
    await proxy.exited;
  };
  const file = join(folder, "data/proxy/admin-key");
  const key = await readFile(file, "utf8").catch(async () => {
    await delay(500);
    return readFile(file, "utf8");
  });
  return { url: proxy.url, headers: { authorization: `Bearer ${key.trim()}` }, startMs, stop };
}

async function measure(engine) {
  const folder = mkdtempSync(join(tmpdir(), "bench-ledger-"));
  const database = await engines[engine](folder);
  try {
    // Creates the tables.
    await (await open(folder, database.url)).stop();
    process.stderr.write(`Filling ${engine} with ${rows.toLocaleString("en")} calls …\n`);
    await database.run();
    const proxy = await open(folder, database.url);
    const lines = [
      [
        engine,
        `start with ${keys} keys and ${teams} teams with budgets`,
        "–",
        proxy.startMs.toFixed(0),
        "–",
        "–",
        "–",
      ],
    ];
    for (const { title, paths, limits } of reports)
      lines.push(await timeReport(engine, proxy, title, paths, limits));
    await proxy.stop();
    process.stderr.write(`  ${((await database.bytes()) / 1e9).toFixed(1)} GB\n`);
    return lines;
  } finally {
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timeReport(engine, { url, headers }, title, paths, limits) {
  const times = [];
  let count = 0;
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    const began = performance.now();
    const texts = await Promise.all(
      paths.map(async (path) => {
        const response = await fetch(`${url}/api/admin/v1${path}`, { headers });
        const text = await response.text();
        if (!response.ok) throw new Error(text);
        return text;
      }),
    );
    times.push(performance.now() - began);
    const body = JSON.parse(texts.at(-1));
    count = (body.rows ?? body.calls ?? body.keys).length;
  }
  const ms = median(times);
  const limit = limits[engine];
  return [
    engine,
    title,
    count.toLocaleString("en"),
    ms.toFixed(0),
    middleHalf(times),
    limit ?? "–",
    limit === undefined ? "–" : (ms / limit).toFixed(2),
  ];
}

const lines = [];
for (const engine of flags.engine.split(",")) lines.push(...(await measure(engine)));
console.log(`${machine()}; ${rows.toLocaleString("en")} calls of ${keys} keys in ${days} days\n`);
console.log(
  table(
    ["engine", "request", "rows:", "median, ms:", "middle half, ms:", "limit, ms:", "of the limit:"],
    lines,
  ),
);
