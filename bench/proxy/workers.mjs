// Compares the built proxy with `--workers 1` and `--workers 2` in alternating turns, with the mock and wrk on the same
// cores.
//   npm run build && node bench/proxy/workers.mjs [--rounds 7] [--seconds 2] [--workers 1,2]
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { machine, median, middleHalf, table } from "../report.mjs";
import { bodyOf, load } from "./load.mjs";
import { startMock } from "./mock.mjs";
import { cpuOf, KEY, listening, memoryOf, writeConfig } from "./subjects.mjs";

const PORTS = { mock: 18_920, first: 18_921 };
const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    workers: { type: "string", default: "1,2" },
  },
});
await measure(flags.workers.split(",").map(Number));

async function measure(counts) {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
  const mock = startMock(folder, PORTS.mock);
  const subjects = [];
  try {
    await listening(PORTS.mock);
    for (const count of counts) subjects.push(await startProxy(folder, count, PORTS.first + subjects.length));
    report(subjects, takeTurns(folder, subjects));
  } finally {
    await Promise.all(subjects.map(({ proxy }) => ended(proxy)));
    mock.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts a proxy with a separate home folder and log. */
async function startProxy(folder, count, port) {
  const config = writeConfig(folder, PORTS.mock);
  const command = resolve(import.meta.dirname, "../../dist/sallyport.js");
  const args = ["proxy", "start", "--config", config, "--port", String(port), "--workers", String(count)];
  const proxy = spawn(process.execPath, [command, ...args], {
    env: { PATH: process.env.PATH, HOME: join(folder, String(count)), NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise((begun, failed) => {
    let output = "";
    proxy.stderr.on("data", (text) => {
      output += text;
      if (output.includes("Proxy listening")) begun();
    });
    proxy.once("exit", () => failed(new Error(output)));
  });
  return { count, port, proxy, pids: [proxy.pid, ...childrenOf(proxy.pid)] };
}

/** Stops the proxy, which writes its remaining log lines first. */
function ended(proxy) {
  return new Promise((done) => {
    proxy.once("exit", done);
    proxy.kill();
  });
}

function childrenOf(pid) {
  const parentOf = (name) => {
    try {
      return Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
    } catch {
      return undefined;
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
}

/** Measures the subjects in turn: requests per second, and CPU of all processes per request. */
function takeTurns(folder, subjects) {
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
  for (const subject of subjects) slice(subject, 3);
  for (let round = 0; round < Number(flags.rounds); round += 1)
    for (const subject of subjects) {
      const spent = () => subject.pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
      const before = spent();
      const { rate, requests, p99, failed } = slice(subject, Number(flags.seconds));
      if (failed > 0) throw new Error(`${failed} requests failed`);
      turns.push({ count: subject.count, rate, p99: p99 / 1_000, cost: (spent() - before) / requests });
    }
  return turns;
}

function report(subjects, turns) {
  const figures = (count, key) => turns.filter((turn) => turn.count === count).map((turn) => turn[key]);
  const one = median(figures(subjects[0].count, "rate"));
  const rows = subjects.map(({ count, pids }) => [
    count,
    median(figures(count, "rate")).toFixed(0),
    middleHalf(figures(count, "rate")),
    (median(figures(count, "rate")) / one).toFixed(2),
    median(figures(count, "p99")).toFixed(1),
    median(figures(count, "cost")).toFixed(0),
    pids.reduce((sum, pid) => sum + memoryOf(pid), 0).toFixed(0),
  ]);
  const titles = ["workers:", "requests/s:", "middle half:", "of the first:", "p99, ms:"];
  console.log(`${machine()}; JSON of 1 kB, 64 connections, ${flags.rounds} turns of ${flags.seconds} s\n`);
  console.log(table([...titles, "CPU µs/request:", "memory, MB:"], rows));
}
