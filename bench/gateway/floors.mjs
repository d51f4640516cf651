// Measures the minimum cost of the engines that the gateway uses: SQLite's for a row, and Redis's for a script per
// call.
//   node bench/gateway/floors.mjs [--rounds 7] [--requests 3000] [--rows 10000]
// Compare the figures with the cost of a call in `cost.mjs`: no gateway can meet a limit below them.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { makeRequests } from "../proxy/exchange.mjs";
import { bodyOf } from "../proxy/load.mjs";
import { startMock } from "../proxy/mock.mjs";
import { freePort } from "../proxy/start-proxy.mjs";
import { cpuOf, listening } from "../proxy/subjects.mjs";
import { machine, median, middleHalf, table } from "../report.mjs";
import { startRedis } from "./servers.mjs";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    requests: { type: "string", default: "3000" },
    rows: { type: "string", default: "10000" },
  },
});
const [rounds, requests, count] = [Number(flags.rounds), Number(flags.requests), Number(flags.rows)];
const folder = mkdtempSync(join(tmpdir(), "bench-floors-"));
const stops = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
const BATCH = 500;
const CONNECTIONS = 32;

/** A call as the request log and the ledger contain it: about 300 bytes and 30 columns. */
const line = (index) =>
  JSON.stringify({
    ...{ time: new Date(1.78e12 + index).toISOString(), id: `req_1e8eb79628650${index}`, key: "key 1" },
    ...{
      client: "127.0.0.1",
      method: "POST",
      route: "/v1/chat/completions",
      model: "bench",
      upstream: "json",
    },
    ...{ status: 200, ms: 100.21, first_byte_ms: 87.71, stream: false, tokens: { input: 200, output: 150 } },
  });
const columns = (index) => [
  ...[`req_1e8eb79628650${index}`, 1.78e12 + index, null, "key 1", null, null, null, "127.0.0.1"],
  ...[
    "chat-completions",
    "/v1/chat/completions",
    "bench",
    "json",
    "bench",
    200,
    null,
    null,
    0,
    100.21,
    87.71,
  ],
  ...[1, null, 200, 0, 0, 150, 0, 0, 1, null, "1e8eb7962865"],
];
const names = columns(0).map((_, index) => `c${index}`);
const marks = names.map(() => "?").join(", ");
const tables = [
  {
    name: "a row of one text, no index",
    create: ["create table calls (line text)"],
    insert: "insert into calls values (?)",
    values: (index) => [line(index)],
  },
  {
    name: "a row of 30 columns, no index",
    create: [`create table calls (${names.join(", ")})`],
    insert: `insert into calls values (${marks})`,
    values: columns,
  },
  {
    name: "a row of the ledger: 30 columns, key and two indexes",
    create: [
      `create table calls (${names.map((name) => (name === "c0" ? "c0 text primary key" : name)).join(", ")})`,
      "create index calls_time on calls (c1, c0)",
      "create index calls_key on calls (c2, c1)",
    ],
    insert: `insert into calls values (${marks}) on conflict (c0) do nothing`,
    values: columns,
  },
];

/**
 * Opens a database with SQLite as the proxy uses it: the module of Node.js if it has one, else the WebAssembly build.
 */
async function openSqlite(path) {
  const native = process.getBuiltinModule("node:sqlite");
  if (native) {
    const database = new native.DatabaseSync(path);
    return { database, run: (statement, values) => statement.run(...values) };
  }
  for (const flag of ["liftoff-only", "no-wasm-dynamic-tiering"]) setFlagsFromString(`--${flag}`);
  const { Database } = createRequire(import.meta.url)("node-sqlite3-wasm");
  return { database: new Database(path), run: (statement, values) => statement.run([...values]) };
}

/** Returns the CPU time of one row in microseconds, in transactions of 500 rows. */
async function costOfRow({ create, insert, values }, path) {
  const { database, run } = await openSqlite(path);
  database.exec("pragma journal_mode = persist");
  for (const sql of create) database.exec(sql);
  const rows = Array.from({ length: count }, (_, index) => values(index));
  const before = process.cpuUsage();
  for (let first = 0; first < count; first += BATCH) {
    database.exec("begin immediate");
    const statement = database.prepare(insert);
    for (const row of rows.slice(first, first + BATCH)) run(statement, row);
    statement.finalize?.();
    database.exec("commit");
  }
  const { user, system } = process.cpuUsage(before);
  database.close();
  return (user + system) / count;
}

/** Starts the minimal proxy on CPU 0; with a URL, each of its calls waits for a script in Redis. */
async function startFloor(mock, redis) {
  const port = await freePort();
  const args = [resolve(import.meta.dirname, "../proxy/floor.mjs"), mock, port, ...(redis ? [redis] : [])];
  const child = spawn("taskset", ["-c", "0", process.execPath, ...args.map(String)], { stdio: "ignore" });
  stops.push(() => child.kill());
  await listening(port);
  return { url: `http://127.0.0.1:${port}/v1/chat/completions`, pid: child.pid };
}

async function costOfCall({ url, pid }, calls) {
  const before = cpuOf(pid);
  const body = bodyOf(900, false);
  const failed = await makeRequests({ url, body, headers: {}, count: calls, connections: CONNECTIONS });
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return (cpuOf(pid) - before) / calls;
}

try {
  const rows = [];
  for (const [index, each] of tables.entries()) {
    const costs = [];
    for (let round = 0; round < rounds; round += 1)
      costs.push(await costOfRow(each, join(folder, `${index}-${round}.db`)));
    rows.push([each.name, median(costs).toFixed(1), middleHalf(costs, 1)]);
  }
  // Keeps load, mock and Redis off the subjects' core.
  spawnSync("taskset", ["-pc", "1", String(process.pid)]);
  const mock = await freePort();
  const vendor = startMock(folder, mock);
  stops.push(() => vendor.kill());
  await listening(mock);
  const redis = await startRedis();
  stops.push(redis.stop);
  const subjects = [await startFloor(mock), await startFloor(mock, redis.url)];
  for (const subject of subjects) await costOfCall(subject, 10_000);
  const added = [];
  for (let round = 0; round < rounds; round += 1) {
    const [without, withScript] = [
      await costOfCall(subjects[0], requests),
      await costOfCall(subjects[1], requests),
    ];
    added.push(withScript - without);
  }
  rows.push([
    "a script in Redis per call, sent once per turn",
    median(added).toFixed(1),
    middleHalf(added, 1),
  ]);
  console.log(
    `${machine()}; ${rounds} turns of ${count} rows, and of ${requests} calls at ${CONNECTIONS} connections\n`,
  );
  console.log(table(["minimum", "CPU, µs:", "middle half:"], rows));
} finally {
  for (const stop of stops.toReversed()) await stop();
}
