// Translation through sockets: a messages client on a chat-completions upstream, beside the native lane and beside
// claude-code-router, in one run.
//   npm run build && node bench/translate/run.mjs [--seconds 3] [--ccr FOLDER]
// Needs nginx, wrk and taskset (Debian: nginx-light, wrk, util-linux). The subject has CPU 0 to itself, load and mock
// share CPU 1. --ccr is a folder in which `npm i @musistudio/claude-code-router@2.0.0` was run.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { load } from "../proxy/load.mjs";
import { startNginx } from "../proxy/mock.mjs";
import { agentTurn } from "./conversation.mjs";

const { values: flags } = parseArgs({
  options: { seconds: { type: "string", default: "3" }, ccr: { type: "string" } },
});
const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
const children = [];
const [mock, relay, ours, ccrJson, ccrStream] = [18_910, 18_911, 18_912, 18_913, 18_914];
const KEY = "sk-bench-0123456789abcdef";

function start(args, home = folder) {
  const env = { PATH: process.env.PATH, HOME: home, NODE_ENV: "production" };
  const child = spawn("taskset", ["-c", "0", process.execPath, ...args], { env, stdio: "ignore" });
  children.push(child);
  return child;
}

async function listening(port) {
  for (let tries = 0; tries < 400; tries += 1) {
    const open = await new Promise((done) => {
      const socket = connect(port, "127.0.0.1", () => done(!socket.destroy().connecting));
      socket.on("error", () => done(false));
    });
    if (open) return;
    await delay(50);
  }
  throw new Error(`nothing listens on ${port}`);
}

function startOurs() {
  const upstream = (prefix) => ({
    dialect: "chat-completions",
    base_url: `http://127.0.0.1:${mock}${prefix}`,
    api_key: "sk-upstream",
  });
  const config = join(folder, "config.json");
  const models = [
    { match: "*", upstream: "json", when: { header: { "x-bench": "json" } } },
    { match: "*", upstream: "sse" },
  ];
  const upstreams = { json: upstream(""), sse: upstream("/sse") };
  writeFileSync(
    config,
    JSON.stringify({ proxy: { auth_mode: "strict", api_keys: [KEY], upstreams, models } }),
  );
  return start([
    join(root, "dist/sallyport.js"),
    "proxy",
    "start",
    "--config",
    config,
    "--port",
    String(ours),
  ]);
}

/** claude-code-router sends to one address per configuration, so there is one of it for JSON and one for streams. */
function startRouter(port, prefix) {
  const home = join(folder, `ccr-${port}`);
  mkdirSync(join(home, ".claude-code-router"), { recursive: true });
  const url = `http://127.0.0.1:${mock}${prefix}/v1/chat/completions`;
  const provider = { name: "mock", api_base_url: url, api_key: "sk-upstream", models: ["bench"] };
  const config = {
    LOG: false,
    HOST: "127.0.0.1",
    PORT: port,
    APIKEY: KEY,
    Providers: [provider],
    Router: { default: "mock,bench" },
  };
  writeFileSync(join(home, ".claude-code-router/config.json"), JSON.stringify(config));
  return start(
    [resolve(flags.ccr, "node_modules/@musistudio/claude-code-router/dist/cli.js"), "start"],
    home,
  );
}

const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

children.push(startNginx(join(folder, "nginx"), mock, relay));
await listening(mock);
const proxy = startOurs();
await listening(ours);
const routers = flags.ccr
  ? { json: startRouter(ccrJson, ""), sse: startRouter(ccrStream, "/sse") }
  : undefined;
if (routers) await Promise.all([ccrJson, ccrStream].map(listening));

const chatBody = (stream) =>
  JSON.stringify({
    model: "bench",
    ...(stream ? { stream: true } : {}),
    messages: [{ role: "user", content: "Please look into the repository." }],
  });
const headers = (kind) => ({
  authorization: `Bearer ${KEY}`,
  "x-api-key": KEY,
  "anthropic-version": "2023-06-01",
  "x-bench": kind,
});

function subjects(kind, bytes) {
  const stream = kind === "sse";
  const body = JSON.stringify(agentTurn(bytes, stream));
  const translated = { pid: proxy.pid, url: `http://127.0.0.1:${ours}/v1/messages`, body };
  const native = {
    pid: proxy.pid,
    url: `http://127.0.0.1:${ours}/v1/chat/completions`,
    body: chatBody(stream),
  };
  const port = stream ? ccrStream : ccrJson;
  const router = { pid: routers?.[kind].pid, url: `http://127.0.0.1:${port}/v1/messages`, body };
  return {
    ...(bytes < 2_000 ? { "native lane": native } : {}),
    translated,
    ...(routers ? { "claude-code-router": router } : {}),
  };
}

const fixed = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));
try {
  console.log(
    `${cpus()[0]?.model}, Node ${process.version}; one core for the subject; ${flags.seconds} s each\n`,
  );
  console.log("| case | connections | subject | requests/s | p50 ms | p99 ms | CPU ms/request |");
  console.log("|---|---|---|---|---|---|---|");
  for (const [name, kind, bytes, connections] of [
    ["JSON, small", "json", 500, 16],
    ["stream of 50 events, small", "sse", 500, 16],
    ["stream of 50 events, 180 kB in", "sse", 180_000, 1],
    ["stream of 50 events, 180 kB in", "sse", 180_000, 4],
  ]) {
    for (const [subject, target] of Object.entries(subjects(kind, bytes))) {
      const { pid, ...where } = target;
      const slice = { folder, cpu: 1, connections, headers: headers(kind), ...where };
      load({ ...slice, seconds: 1 });
      const before = cpuOf(pid);
      const told = load({ ...slice, seconds: Number(flags.seconds) });
      const spent = (cpuOf(pid) - before) / (told.rate * Number(flags.seconds));
      if (told.failed > 0) console.error(`${subject}: ${told.failed} answers were no success`);
      console.log(
        `| ${name} | ${connections} | ${subject} | ${fixed(told.rate)} | ${fixed(told.p50 / 1000)} | ${fixed(told.p99 / 1000)} | ${spent.toFixed(2)} |`,
      );
    }
  }
} finally {
  for (const child of children) child.kill();
  await delay(300);
  rmSync(folder, { recursive: true, force: true });
}
