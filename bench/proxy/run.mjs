// Native lane: requests a second, added latency and memory, beside nginx, the bare Node floor and Portkey, in one run.
//   npm run build && node bench/proxy/run.mjs [--seconds 3] [--rounds 2] [--portkey FOLDER] [--only "JSON"]
// Needs nginx, wrk and taskset (Debian: nginx-light, wrk, util-linux). The proxy under test has CPU 0 to itself, load
// and mock share CPU 1. --portkey is a folder in which `npm i @portkey-ai/gateway@1.15.2` was run.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { bodyOf, load } from "./load.mjs";
import { startNginx } from "./mock.mjs";

const { values: flags } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "2" },
    portkey: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
const children = [];
const start = (command, args, environment = {}) => {
  const child = spawn("taskset", ["-c", "0", command, ...args], {
    env: { PATH: process.env.PATH, HOME: folder, NODE_ENV: "production", ...environment },
    stdio: "ignore",
  });
  children.push(child);
  return child;
};
const answers = (port) =>
  new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => done(!socket.destroy().connecting));
    socket.on("error", () => done(false));
  });
const listening = async (port) => {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await answers(port)) return;
    await delay(50);
  }
  throw new Error(`nothing listens on ${port}`);
};

const KEY = "sk-bench-0123456789abcdef";
const [mock, relay, floor, floorSse, ours, portkey] = [18_900, 18_901, 18_902, 18_903, 18_904, 18_905];
const nginx = startNginx(join(folder, "nginx"), mock, relay);
children.push(nginx);
await listening(mock);
const config = join(folder, "config.json");
writeFileSync(
  config,
  JSON.stringify({
    proxy: {
      auth_mode: "strict",
      api_keys: [KEY],
      upstreams: {
        json: { dialect: "chat-completions", base_url: `http://127.0.0.1:${mock}`, api_key: "sk-upstream" },
        sse: {
          dialect: "chat-completions",
          base_url: `http://127.0.0.1:${mock}/sse`,
          api_key: "sk-upstream",
        },
      },
      models: [
        { match: "*", upstream: "json", when: { header: { "x-bench": "json" } } },
        { match: "*", upstream: "sse" },
      ],
    },
  }),
);
const node = process.execPath;
const floorJson = start(node, [join(root, "bench/proxy/floor.mjs"), String(mock), String(floor)]);
const floorStream = start(node, [
  join(root, "bench/proxy/floor.mjs"),
  String(mock),
  String(floorSse),
  "/sse",
]);
const proxy = start(node, [
  join(root, "dist/sallyport.js"),
  "proxy",
  "start",
  "--config",
  config,
  "--port",
  String(ours),
]);
const peer = !flags.portkey
  ? undefined
  : start(node, [
      resolve(flags.portkey, "node_modules/@portkey-ai/gateway/build/start-server.js"),
      `--port=${portkey}`,
    ]);
await Promise.all([floor, floorSse, ours, relay, ...(flags.portkey ? [portkey] : [])].map(listening));

const path = "/v1/chat/completions";
const auth = { authorization: `Bearer ${KEY}` };
const portkeyHeaders = (prefix) => ({
  "x-portkey-provider": "openai",
  "x-portkey-custom-host": `http://127.0.0.1:${mock}${prefix}/v1`,
  authorization: "Bearer sk-upstream",
});
const subjects = (isStream) => ({
  direct: { url: `http://127.0.0.1:${mock}${isStream ? "/sse" : ""}${path}` },
  nginx: { url: `http://127.0.0.1:${relay}${isStream ? "/sse" : ""}${path}` },
  floor: {
    pid: (isStream ? floorStream : floorJson).pid,
    url: `http://127.0.0.1:${isStream ? floorSse : floor}${path}`,
  },
  sallyport: {
    pid: proxy.pid,
    url: `http://127.0.0.1:${ours}${path}`,
    headers: { ...auth, "x-bench": isStream ? "sse" : "json" },
  },
  ...(flags.portkey
    ? {
        portkey: {
          pid: peer.pid,
          url: `http://127.0.0.1:${portkey}${path}`,
          headers: portkeyHeaders(isStream ? "/sse" : ""),
        },
      }
    : {}),
});
const cases = [
  ["JSON 1 kB", 900, false, 1],
  ["JSON 1 kB", 900, false, 32],
  ["JSON 1 kB", 900, false, 256],
  ["JSON 180 kB in", 180_000, false, 32],
  ["SSE 50 events", 900, true, 1],
  ["SSE 50 events", 900, true, 32],
  ["SSE 50 events", 900, true, 256],
];
/** Milliseconds of CPU that a process has used: what it costs, however busy the machine is with other things. */
const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${proxy.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
const fixed = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));

try {
  console.log(
    `${cpus()[0]?.model}, ${cpus().length} CPUs, Node ${process.version}; one core for the proxy; best of ${flags.rounds} × ${flags.seconds} s\n`,
  );
  console.log(
    "| case | connections | subject | requests/s | of the floor | p50 µs | p99 µs | CPU µs/request | of the floor, by CPU |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  // Otherwise the first slices would measure the compiler.
  for (const isStream of [false, true])
    for (const target of Object.values(subjects(isStream)).filter(({ pid }) => pid))
      load({ folder, cpu: 1, connections: 32, seconds: 3, body: bodyOf(900, isStream), ...target });
  for (const [name, bytes, isStream, connections] of cases) {
    if (!`${name} ${connections}`.includes(flags.only)) continue;
    const body = bodyOf(bytes, isStream);
    const best = {};
    for (let round = 0; round < Number(flags.rounds); round += 1) {
      for (const [subject, target] of Object.entries(subjects(isStream))) {
        load({ folder, cpu: 1, connections, seconds: 1, body, ...target });
        const before = target.pid ? cpuOf(target.pid) : 0;
        const slice = load({ folder, cpu: 1, connections, seconds: Number(flags.seconds), body, ...target });
        const seconds = Number(flags.seconds);
        slice.cpu = target.pid ? ((cpuOf(target.pid) - before) * 1000) / (slice.rate * seconds) : Number.NaN;
        if (slice.failed > 0 || slice.broken)
          console.error(`${subject}: ${slice.failed} failed, ${slice.broken ?? "none broken"}`);
        const known = best[subject];
        if (!known) best[subject] = slice;
        else
          Object.assign(known, {
            rate: Math.max(known.rate, slice.rate),
            p50: Math.min(known.p50, slice.p50),
            p99: Math.min(known.p99, slice.p99),
            cpu: Math.min(known.cpu, slice.cpu),
          });
      }
    }
    for (const [subject, slice] of Object.entries(best)) {
      const ofFloor = Number.isNaN(slice.cpu) ? "–" : (best.floor.cpu / slice.cpu).toFixed(2);
      const cost = Number.isNaN(slice.cpu) ? "–" : fixed(slice.cpu);
      console.log(
        `| ${name} | ${connections} | ${subject} | ${fixed(slice.rate)} | ${(slice.rate / best.floor.rate).toFixed(2)} | ${fixed(slice.p50)} | ${fixed(slice.p99)} | ${cost} | ${ofFloor} |`,
      );
    }
  }
  console.log(`\nMemory of the proxy afterwards: ${memory().toFixed(0)} MB`);
} finally {
  for (const child of children) child.kill();
  await delay(300);
  rmSync(folder, { recursive: true, force: true });
}
