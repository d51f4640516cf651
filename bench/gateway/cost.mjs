// Measures what the gateway costs: CPU per call of the native lane, memory and start-up with the SQLite ledger, and the
// CPU and latency of limits in Redis, each relative to a proxy without a database, in short alternating turns.
//   npm run build && node bench/gateway/cost.mjs [--rounds 15] [--requests 3000] [--connections 32] [--starts 15]
//   node bench/gateway/cost.mjs --before FILE     compares with another build, which has its default settings
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeRequests, openConnection, requestBytes } from "../proxy/exchange.mjs";
import { bodyOf } from "../proxy/load.mjs";
import { startMock } from "../proxy/mock.mjs";
import { freePort } from "../proxy/start-proxy.mjs";
import { cpuOf, KEY, listening, memoryOf } from "../proxy/subjects.mjs";
import { machine, median, middleHalf, table } from "../report.mjs";
import { startRedis } from "./servers.mjs";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    requests: { type: "string", default: "3000" },
    connections: { type: "string", default: "32" },
    starts: { type: "string", default: "15" },
    before: { type: "string" },
  },
});
const rounds = Number(flags.rounds);
const root = resolve(import.meta.dirname, "../..");
const built = join(root, "dist/sallyport.js");
const folder = mkdtempSync(join(tmpdir(), "bench-gateway-"));
const stops = [];
// Keeps load and mock off the subjects' core.
spawnSync("taskset", ["-pc", "1", String(process.pid)]);

/** The proxies under test: program, settings, limits of the key, and the maximum ratio of CPU time (`cpu`). */
const subjects = {
  ...(flags.before && { before: { program: resolve(flags.before), settings: {} } }),
  plain: { program: built, settings: { database: "none" } },
  // The default database is opened after the listener; one that the configuration names is opened before.
  ledger: { program: built, settings: {}, cpu: 1.03 },
  limits: {
    program: built,
    settings: { database: "sqlite", redis: true },
    limits: { rpm: 1e9, tpm: 1e12, concurrency: 1e6, budgets: [{ usd: 1e6, period: "day" }] },
    cpu: 1.08,
  },
};

/** Starts a subject on CPU 0. Resolves when it listens, to its URL, process and start-up time. */
async function start(name, { mock, redis }) {
  const { program, settings, limits } = subjects[name];
  const home = join(folder, `${name}-${stops.length}`);
  mkdirSync(home);
  const config = join(home, "config.json");
  const proxy = {
    auth_mode: "strict",
    ...settings,
    ...(settings.redis && { redis }),
    api_keys: limits ? [{ name: "bench", key_env: "BENCH_KEY", limits }] : [KEY],
    upstreams: {
      mock: {
        dialect: "chat-completions",
        base_url: `http://127.0.0.1:${mock}`,
        api_key: "sk-upstream",
        prices: { "*": { input: 1, output: 2 } },
      },
    },
    models: [{ match: "*", upstream: "mock" }],
  };
  writeFileSync(config, JSON.stringify({ proxy }));
  const port = await freePort();
  const began = performance.now();
  const child = spawn(
    "taskset",
    ["-c", "0", process.execPath, program, "proxy", "start", "--config", config, "--port", String(port)],
    {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        SERVICE_HOME: join(home, "data"),
        NODE_ENV: "production",
        BENCH_KEY: KEY,
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const ended = new Promise((done) => child.once("exit", done));
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  await new Promise((done, fail) => {
    let text = "";
    child.stderr.on("data", (data) => {
      text += data;
      if (/Proxy listening/.test(text)) done();
    });
    ended.then(() => fail(new Error(text)));
  });
  const startMs = performance.now() - began;
  const stop = async () => {
    process.off("exit", kill);
    child.kill("SIGTERM");
    await ended;
  };
  stops.push(stop);
  return { url: `http://127.0.0.1:${port}/v1/chat/completions`, pid: child.pid, startMs, stop };
}

const headers = { authorization: `Bearer ${KEY}` };
const body = bodyOf(900, false);
const streamBody = bodyOf(900, true);
/** Milliseconds until the ledger has written the calls of a turn: its batches are at most half a second apart. */
const LEDGER_MS = 900;
/** Number of JSON calls for each stream, because a stream of 50 events costs several times as much as a JSON call. */
const CALLS_PER_STREAM = 5;

/** Returns microseconds of CPU per call, of all threads, including the ledger's batch after the last call. */
async function costOf({ url, pid }, count, body) {
  const before = cpuOf(pid);
  const failed = await makeRequests({ url, body, headers, count, connections: Number(flags.connections) });
  if (failed > 0) throw new Error(`${failed} requests failed`);
  await new Promise((done) => setTimeout(done, LEDGER_MS));
  return (cpuOf(pid) - before) / count;
}

/** Returns the costs of each subject in alternating turns. */
async function measureTurns(running, count, body) {
  const names = Object.keys(running);
  const turns = [];
  for (let round = 0; round < rounds; round += 1) {
    const costs = {};
    // Each round begins with another subject, so that none is always the first.
    for (const at of names.keys()) {
      const name = names[(at + round) % names.length];
      costs[name] = await costOf(running[name], count, body);
    }
    turns.push(costs);
  }
  return turns;
}

const MEMORY_RUNS = 5;

/** Returns the memory of each subject after equally many calls, in several processes each. */
async function measureMemory(names, world) {
  const memory = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < MEMORY_RUNS; run += 1)
    for (const name of names) {
      const subject = await start(name, world);
      await costOf(subject, 10_000, body);
      memory[name].push(memoryOf(subject.pid));
      await subject.stop();
    }
  return memory;
}

/** Returns the latencies of calls one after another over one connection, in milliseconds. */
async function latenciesOf({ url }, count) {
  const connection = await openConnection(url);
  const bytes = requestBytes(url, body, headers);
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    await new Promise((done) => connection.send(bytes, done));
    times.push(performance.now() - began);
  }
  connection.close();
  return times;
}

try {
  const mock = await freePort();
  const vendor = startMock(folder, mock);
  stops.push(() => vendor.kill());
  await listening(mock);
  const redis = await startRedis();
  stops.push(redis.stop);
  const world = { mock, redis: redis.url };
  const names = Object.keys(subjects);
  const running = {};
  for (const name of names) running[name] = await start(name, world);
  for (const name of names) await costOf(running[name], 10_000, body);
  const turns = await measureTurns(running, Number(flags.requests), body);
  const streams = await measureTurns(
    running,
    Math.ceil(Number(flags.requests) / CALLS_PER_STREAM),
    streamBody,
  );
  const latencies = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) latencies[name].push(...(await latenciesOf(running[name], 100)));
  for (const name of names) await running[name].stop();
  const memory = await measureMemory(names, world);
  const starts = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < Number(flags.starts); round += 1)
    for (const name of names) {
      const { startMs, stop } = await start(name, world);
      starts[name].push(startMs);
      await stop();
    }
  const base = flags.before ? "before" : "plain";
  const ratios = (measured, name) => measured.map((costs) => costs[name] / costs[base]);
  const columns = (measured, name) => [
    median(measured.map((costs) => costs[name])).toFixed(1),
    median(ratios(measured, name)).toFixed(3),
    middleHalf(ratios(measured, name), 2),
  ];
  const added = (measured, name, digits) => [
    median(measured[name]).toFixed(digits),
    (median(measured[name]) - median(measured[base])).toFixed(digits),
  ];
  const streamCalls = Math.ceil(Number(flags.requests) / CALLS_PER_STREAM);
  console.log(
    `${machine()}; ${rounds} turns of ${flags.requests} JSON calls of 1 kB and of ${streamCalls} streams of 50 events\n`,
  );
  console.log(
    table(
      [
        ...["subject", "limit:", "JSON, µs/call:", `of ${base}:`, "middle half:"],
        ...["stream, µs/call:", `stream of ${base}:`, "stream, middle half:"],
      ],
      names.map((name) => [
        name,
        subjects[name].cpu?.toFixed(2) ?? "–",
        ...columns(turns, name),
        ...columns(streams, name),
      ]),
    ),
  );
  console.log();
  console.log(
    table(
      ["subject", "p50, ms:", "added, ms:", "start, ms:", "added, ms:", "memory, MB:", "added, MB:"],
      names.map((name) => [
        name,
        ...added(latencies, name, 3),
        ...added(starts, name, 0),
        ...added(memory, name, 0),
      ]),
    ),
  );
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
