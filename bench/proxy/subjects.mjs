// Everything under test, started and listening: the mock, nginx before it, the floor, this proxy, and Portkey if it is there.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startNginx } from "./mock.mjs";

const root = resolve(import.meta.dirname, "../..");
export const KEY = "sk-bench-0123456789abcdef";
const [mock, relay, floorJson, floorSse, ours, peer] = [18_900, 18_901, 18_902, 18_903, 18_904, 18_905];
const path = "/v1/chat/completions";

/**
 * Starts them on CPU 0, nginx where it likes. `portkey` is the folder it is installed in, `command` this proxy's,
 * `nodeArguments` go to its Node.js.
 */
export async function startSubjects({ portkey, command, nodeArguments = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
  const children = [startNginx(join(folder, "nginx"), mock, relay)];
  const start = (args) => {
    const child = spawn("taskset", ["-c", "0", process.execPath, ...args], {
      env: { PATH: process.env.PATH, HOME: folder, NODE_ENV: "production" },
      stdio: "ignore",
    });
    children.push(child);
    return child.pid;
  };
  await listening(mock);
  const floor = join(root, "bench/proxy/floor.mjs");
  const pids = {
    json: start([floor, String(mock), String(floorJson)]),
    sse: start([floor, String(mock), String(floorSse), "/sse"]),
    ours: start([
      ...nodeArguments,
      command ?? join(root, "dist/sallyport.js"),
      ...["proxy", "start", "--config", writeConfig(folder, mock), "--port", String(ours)],
    ]),
    portkey:
      portkey &&
      start([resolve(portkey, "node_modules/@portkey-ai/gateway/build/start-server.js"), `--port=${peer}`]),
  };
  const stop = async () => {
    const ends = children.map((child) => new Promise((done) => child.once("exit", done)));
    for (const child of children) child.kill();
    await Promise.race([Promise.all(ends), delay(5_000)]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all([relay, floorJson, floorSse, ours, ...(portkey ? [peer] : [])].map(listening));
  } catch (error) {
    await stop();
    throw error;
  }
  return { folder, targets: (isStream) => targets(pids, isStream), stop };
}

/** What is asked, by name: address, headers, and the process whose cost counts. */
function targets(pids, isStream) {
  const prefix = isStream ? "/sse" : "";
  const all = {
    direct: { url: `http://127.0.0.1:${mock}${prefix}${path}` },
    nginx: { url: `http://127.0.0.1:${relay}${prefix}${path}` },
    floor: {
      pid: isStream ? pids.sse : pids.json,
      url: `http://127.0.0.1:${isStream ? floorSse : floorJson}${path}`,
    },
    sallyport: {
      pid: pids.ours,
      url: `http://127.0.0.1:${ours}${path}`,
      headers: { authorization: `Bearer ${KEY}`, "x-bench": isStream ? "sse" : "json" },
    },
  };
  if (pids.portkey)
    all.portkey = {
      pid: pids.portkey,
      url: `http://127.0.0.1:${peer}${path}`,
      headers: {
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": `http://127.0.0.1:${mock}${prefix}/v1`,
        authorization: "Bearer sk-upstream",
      },
    };
  return all;
}

/** Everything on: keys, rules with conditions, two upstreams with keys of their own. */
export function writeConfig(folder, mock) {
  const upstream = (base_url) => ({ dialect: "chat-completions", base_url, api_key: "sk-upstream" });
  const proxy = {
    auth_mode: "strict",
    api_keys: [KEY],
    upstreams: {
      json: upstream(`http://127.0.0.1:${mock}`),
      sse: upstream(`http://127.0.0.1:${mock}/sse`),
    },
    models: [
      { match: "*", upstream: "json", when: { header: { "x-bench": "json" } } },
      { match: "*", upstream: "sse" },
    ],
  };
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ proxy }));
  return file;
}

/** Resolves when something accepts connections on a port. */
export async function listening(port) {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await answers(port)) return;
    await delay(50);
  }
  throw new Error(`nothing listens on ${port}`);
}

function answers(port) {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      done(true);
    });
    socket.on("error", () => done(false));
  });
}

/** Microseconds of CPU that a process has used, all its threads: what it costs, however busy the machine is. */
export function cpuOf(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce(
    (sum, task) =>
      sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1_000,
    0,
  );
}

/** Megabytes a process holds in memory. */
export function memoryOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
