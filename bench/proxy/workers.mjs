// Whether several processes behind one port would pay: the built proxy in one worker of node:cluster and in two, all with the
// same configuration and nothing shared, in turns; a mock answers and wrk asks, both on whatever core is free.
//   npm run build && node bench/proxy/workers.mjs [--rounds 7] [--seconds 2] [--workers 1,2]
import { fork } from "node:child_process";
import cluster from "node:cluster";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { machine, median, spread, table } from "../report.mjs";
import { bodyOf, load } from "./load.mjs";
import { startMock } from "./mock.mjs";
import { cpuOf, KEY, listening, memoryOf, writeConfig } from "./subjects.mjs";

const PORTS = { mock: 18_920, first: 18_921 };
const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    workers: { type: "string", default: "1,2" },
    // Given by this script to itself: the port and the number of workers of one primary.
    primary: { type: "string" },
  },
});
if (flags.primary) beginPrimary(...flags.primary.split(","));
else await measure(flags.workers.split(",").map(Number));

/** Forks the workers, each the whole command, and tells their process ids. */
function beginPrimary(port, count, config) {
  const exec = resolve(import.meta.dirname, "../../dist/sallyport.js");
  cluster.setupPrimary({ exec, args: ["proxy", "start", "--config", config, "--port", port], silent: true });
  const workers = Array.from({ length: Number(count) }, () => cluster.fork());
  process.send(workers.map((worker) => worker.process.pid));
  process.on("disconnect", () => process.exit());
}

async function measure(counts) {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
  const mock = startMock(folder, PORTS.mock);
  const clusters = [];
  try {
    await listening(PORTS.mock);
    for (const count of counts)
      clusters.push(await startCluster(folder, count, PORTS.first + clusters.length));
    report(clusters, takeTurns(folder, clusters));
  } finally {
    for (const { primary } of clusters) primary.kill();
    mock.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function startCluster(folder, count, port) {
  const config = writeConfig(folder, PORTS.mock);
  const primary = fork(import.meta.filename, ["--primary", `${port},${count},${config}`], {
    env: { PATH: process.env.PATH, HOME: folder, NODE_ENV: "production" },
  });
  const pids = await new Promise((found) => primary.once("message", found));
  await listening(port);
  return { count, port, primary, pids };
}

/** Each in turn, so that a busy moment hits all: requests/s, and CPU of workers and primary a request. */
function takeTurns(folder, clusters) {
  const turns = [];
  const slice = ({ port }, seconds) =>
    load({
      folder,
      cpu: `0-${availableParallelism() - 1}`,
      url: `http://127.0.0.1:${port}/v1/chat/completions`,
      connections: 64,
      seconds,
      body: bodyOf(900, false),
      headers: { authorization: `Bearer ${KEY}`, "x-bench": "json" },
    });
  for (const subject of clusters) slice(subject, 3);
  for (let round = 0; round < Number(flags.rounds); round += 1)
    for (const subject of clusters) {
      const processes = [...subject.pids, subject.primary.pid];
      const spent = () => processes.reduce((sum, pid) => sum + cpuOf(pid), 0);
      const before = spent();
      const { rate, requests, p99, failed } = slice(subject, Number(flags.seconds));
      if (failed > 0) throw new Error(`${failed} requests failed`);
      turns.push({ count: subject.count, rate, p99: p99 / 1_000, cost: (spent() - before) / requests });
    }
  return turns;
}

function report(clusters, turns) {
  const figures = (count, key) => turns.filter((turn) => turn.count === count).map((turn) => turn[key]);
  const one = median(figures(clusters[0].count, "rate"));
  const rows = clusters.map(({ count, pids }) => [
    count,
    median(figures(count, "rate")).toFixed(0),
    spread(figures(count, "rate")),
    (median(figures(count, "rate")) / one).toFixed(2),
    median(figures(count, "p99")).toFixed(1),
    median(figures(count, "cost")).toFixed(0),
    pids.reduce((sum, pid) => sum + memoryOf(pid), 0).toFixed(0),
  ]);
  const titles = ["workers:", "requests/s:", "middle half:", "of the first:", "p99, ms:"];
  console.log(`${machine()}; JSON of 1 kB, 64 connections, ${flags.rounds} turns of ${flags.seconds} s\n`);
  console.log(table([...titles, "CPU µs/request:", "memory, MB:"], rows));
}
