// Compares two replicas behind nginx with one and with Portkey's gateway (calls per second, in alternating turns), and
// restarts both replicas one after the other under streams. The replicas share PostgreSQL and Redis; the key has
// limits.
//   npm run build && node bench/gateway/replicas.mjs [--rounds 5] [--seconds 3] [--streams 500] [--portkey FOLDER]
// With --rounds 0, only the restart is measured. nginx uses deploy/nginx.conf with other addresses.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { bodyOf, load } from "../proxy/load.mjs";
import { events, startMock } from "../proxy/mock.mjs";
import { freePort } from "../proxy/start-proxy.mjs";
import { KEY, listening } from "../proxy/subjects.mjs";
import { machine, median, middleHalf, table } from "../report.mjs";
import { startPostgres, startRedis } from "./servers.mjs";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    streams: { type: "string", default: "500" },
    portkey: { type: "string" },
  },
});
const program = resolve(import.meta.dirname, "../../dist/sallyport.js");
const folder = mkdtempSync(join(tmpdir(), "bench-replicas-"));
const stops = [];
const path = "/v1/chat/completions";

/** Starts a process that ends with this one; resolves when its port accepts connections. */
async function start(command, args, { port, env = {}, stderr = "ignore" }) {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...env },
    stdio: ["ignore", "ignore", stderr],
  });
  const ended = new Promise((done) => child.once("exit", done));
  process.once("exit", () => child.kill("SIGKILL"));
  await listening(port);
  const stop = async (signal = "SIGTERM") => {
    child.kill(signal);
    await ended;
  };
  return { child, stop };
}

const headers = { authorization: `Bearer ${KEY}` };

/** Creates a replica that can be restarted on its port. */
function replica(index, port, config) {
  const home = join(folder, `replica-${index}`);
  mkdirSync(home);
  const env = { HOME: home, SERVICE_HOME: join(home, "data"), BENCH_KEY: KEY };
  const args = [program, "proxy", "start", "--config", config, "--port", String(port)];
  const own = { port, process: undefined };
  own.start = async () => {
    own.process = await start(process.execPath, args, { port, env });
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers }).catch(() => undefined);
      if (response?.ok) return;
      await delay(50);
    }
  };
  stops.push(() => own.process?.stop());
  return own;
}

/** Returns deploy/nginx.conf for these ports. */
async function readSite(port, ports) {
  const text = await readFile(resolve(import.meta.dirname, "../../deploy/nginx.conf"), "utf8");
  const [first, ...others] = text.match(/^ *server sallyport-.*$/gm);
  const servers = ports.map((each) => first.replace(/sallyport-1:\d+/, `127.0.0.1:${each}`)).join("\n");
  return others
    .reduce((rest, line) => rest.replace(`${line}\n`, ""), text)
    .replace(first, servers)
    .replace("listen 8080", `listen 127.0.0.1:${port} backlog=4096`);
}

async function startNginx(ports) {
  const port = await freePort();
  const home = join(folder, `nginx-${ports.length}`);
  mkdirSync(home);
  const config = join(home, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${home}/pid; error_log ${home}/error.log crit;
events { worker_connections 8192; }
http {
  access_log off; keepalive_requests 100000000;
  ${temporary.map((name) => `${name}_temp_path ${home}/${name};`).join(" ")}
  ${await readSite(port, ports)}
}
`,
  );
  const nginx = await start("nginx", ["-c", config, "-e", `${home}/error.log`], { port });
  stops.push(() => nginx.stop());
  return port;
}

async function startPortkey(mock) {
  const port = await freePort();
  const command = resolve(flags.portkey, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const portkey = await start(process.execPath, [command, `--port=${port}`], { port, env: { HOME: folder } });
  stops.push(() => portkey.stop());
  return {
    port,
    headers: {
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `http://127.0.0.1:${mock}/v1`,
      authorization: "Bearer sk-upstream",
    },
  };
}

/** Measures calls per second and p99 latency of the subjects in turn. */
function takeTurns(subjects) {
  const slice = ({ port, headers }, seconds) =>
    load({
      folder,
      cpu: `0-${availableParallelism() - 1}`,
      url: `http://127.0.0.1:${port}${path}`,
      connections: 64,
      seconds,
      body: bodyOf(900, false),
      headers,
    });
  for (const subject of subjects) slice(subject, 3);
  const turns = [];
  for (let round = 0; round < Number(flags.rounds); round += 1)
    for (const subject of subjects) {
      const { rate, p99, failed } = slice(subject, Number(flags.seconds));
      turns.push({ name: subject.name, rate, p99: p99 / 1_000, failed });
    }
  return turns;
}

/** Measures the subjects and prints their calls per second and p99 latency. */
function compare(subjects) {
  const turns = takeTurns(subjects);
  const figures = (name, key) => turns.filter((turn) => turn.name === name).map((turn) => turn[key]);
  const base = median(figures("one replica behind nginx", "rate"));
  const rows = subjects.map(({ name }) => [
    name,
    median(figures(name, "rate")).toFixed(0),
    middleHalf(figures(name, "rate")),
    (median(figures(name, "rate")) / base).toFixed(2),
    median(figures(name, "p99")).toFixed(1),
    figures(name, "failed").reduce((sum, each) => sum + each, 0),
  ]);
  console.log(`${machine()}; JSON of 1 kB, 64 connections, ${flags.rounds} turns of ${flags.seconds} s\n`);
  const titles = ["subject", "calls/s:", "middle half:", "of one behind nginx:", "p99, ms:", "failed:"];
  console.log(`${table(titles, rows)}\n`);
}

/** The bytes of a complete stream. The proxy removes the usage, which the client does not request. */
const WHOLE = Buffer.byteLength(events.filter((event) => !event.includes('"usage"')).join(""));

/**
 * Keeps streams of a second each open while the replicas are restarted one after the other. Returns how many streams
 * were complete, broken or refused, and how many were refused with each status.
 */
async function restartUnderStreams(port, replicas, headers) {
  const agent = new Agent({ connections: Number(flags.streams), pipelining: 1 });
  const counts = { whole: 0, broken: 0, refused: 0 };
  const statuses = new Map();
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      try {
        const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, {
          method: "POST",
          dispatcher: agent,
          headers: { "content-type": "application/json", ...headers, "x-bench": "live" },
          body: bodyOf(900, true),
        });
        let bytes = 0;
        for await (const chunk of body) bytes += chunk.length;
        if (statusCode !== 200) {
          counts.refused += 1;
          statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        } else counts[bytes === WHOLE ? "whole" : "broken"] += 1;
      } catch {
        counts.broken += 1;
      }
    }
  };
  const clients = Array.from({ length: Number(flags.streams) }, client);
  await delay(3_000);
  const began = performance.now();
  for (const each of replicas) {
    await each.process.stop();
    await each.start();
    await delay(2_000);
  }
  const seconds = (performance.now() - began) / 1_000;
  isOver = true;
  await Promise.all(clients);
  await agent.close();
  return {
    ...counts,
    seconds,
    statuses: [...statuses].map(([status, count]) => `${count} × ${status}`).join(", "),
  };
}

try {
  const mock = await freePort();
  const vendor = startMock(folder, mock);
  stops.push(() => vendor.kill());
  await listening(mock);
  const [redis, postgres] = [await startRedis(), await startPostgres()];
  stops.push(redis.stop, postgres.stop);
  const kinds = { json: "", live: "/live" };
  const upstreams = Object.entries(kinds).map(([kind, prefix]) => [
    kind,
    {
      dialect: "chat-completions",
      base_url: `http://127.0.0.1:${mock}${prefix}`,
      api_key: "sk-upstream",
      prices: { "*": { input: 1, output: 2 } },
    },
  ]);
  const limits = { rpm: 1e9, concurrency: 1e6, budgets: [{ usd: 1e6, period: "day" }] };
  const config = join(folder, "config.json");
  const proxy = {
    auth_mode: "strict",
    database: postgres.url,
    redis: redis.url,
    drain_delay: 2,
    drain_timeout: 60,
    api_keys: [{ name: "bench", key_env: "BENCH_KEY", limits }],
    upstreams: Object.fromEntries(upstreams),
    models: [
      { match: "*", upstream: "live", when: { header: { "x-bench": "live" } } },
      { match: "*", upstream: "json" },
    ],
  };
  writeFileSync(config, JSON.stringify({ proxy }));
  const replicas = [replica(1, await freePort(), config), replica(2, await freePort(), config)];
  for (const each of replicas) await each.start();
  const ports = replicas.map(({ port }) => port);
  const subjects = [
    { name: "one replica", port: ports[0], headers },
    { name: "one replica behind nginx", port: await startNginx(ports.slice(0, 1)), headers },
    { name: "two replicas behind nginx", port: await startNginx(ports), headers },
    ...(flags.portkey ? [{ name: "portkey", ...(await startPortkey(mock)) }] : []),
  ];
  if (Number(flags.rounds) > 0) compare(subjects);
  const restart = await restartUnderStreams(subjects[2].port, replicas, headers);
  const { whole, broken, refused, seconds, statuses } = restart;
  console.log(
    `rolling restart of two replicas in ${seconds.toFixed(0)} s under ${flags.streams} streams at a time:\n`,
  );
  const lost = ((broken + refused) / (whole + broken + refused)).toFixed(4);
  console.log(
    table(
      ["streams whole:", "broken:", "refused:", "with status:", "lost, of all:"],
      [[whole, broken, refused, statuses || "–", lost]],
    ),
  );
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
