// Starts everything under test: the mock, nginx, the floor, Sallyport, and Portkey if it is installed.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startMock, startRelay } from "./mock.mjs";

const root = resolve(import.meta.dirname, "../..");
export const KEY = "sk-bench-0123456789abcdef";
const [mock, relay, floor, peer, ours] = [18_900, 18_901, 18_902, 18_903, 18_904];
const path = "/v1/chat/completions";
/** Kinds of response that the mock returns, by path prefix. */
const PREFIXES = { json: "", sse: "/sse", live: "/live" };

/**
 * Starts the mock on this process's CPU and all others on CPU 0. `portkey` is Portkey's folder; `builds` are builds of
 * Sallyport by name; `settings` are members of the configuration's `proxy` by the name of the build; `environment` is
 * added to the subjects' environment. `withRelay` also starts nginx, which must be installed.
 */
export async function startSubjects({
  portkey,
  builds = { sallyport: "dist/sallyport.js" },
  settings = {},
  environment = {},
  withRelay = true,
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
  const children = [startMock(folder, mock)];
  const start = (args, home = folder) => {
    const child = spawn("taskset", ["-c", "0", process.execPath, ...args], {
      env: { PATH: process.env.PATH, HOME: home, NODE_ENV: "production", ...environment },
      stdio: "ignore",
    });
    children.push(child);
    return child.pid;
  };
  const stop = async () => {
    const ends = children.map((child) => new Promise((done) => child.once("exit", done)));
    for (const child of children) child.kill();
    await Promise.race([Promise.all(ends), delay(5_000)]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await listening(mock);
    const names = Object.keys(builds);
    const subjects = [
      {
        name: "floor",
        port: floor,
        pid: start([join(root, "bench/proxy/floor.mjs"), mock, floor].map(String)),
      },
      ...names.map((name, index) => {
        // Builds must not share a data directory.
        const home = join(folder, `home-${index}`);
        mkdirSync(home);
        const config = writeConfig(home, mock, settings[name]);
        const command = [resolve(root, builds[name]), "proxy", "start", "--config", config];
        const port = ours + index;
        return { name, port, pid: start([...command, "--port", String(port)], home) };
      }),
    ];
    if (withRelay) {
      const nginx = startRelay(join(folder, "nginx"), mock, relay);
      children.push(nginx);
      subjects.push({ name: "nginx", port: relay, pid: nginx.pid });
    }
    if (portkey) {
      const command = resolve(portkey, "node_modules/@portkey-ai/gateway/build/start-server.js");
      subjects.push({ name: "portkey", port: peer, pid: start([command, `--port=${peer}`]) });
    }
    await Promise.all(subjects.map(({ port }) => listening(port)));
    return { folder, targets: (kind) => targets(subjects, kind), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the subjects by name: URL, headers, and the process whose CPU counts. `kind` is json, sse or live. */
function targets(subjects, kind) {
  const prefix = PREFIXES[kind];
  const all = { direct: { url: `http://127.0.0.1:${mock}${prefix}${path}` } };
  for (const { name, port, pid } of subjects) {
    const url = (before) => `http://127.0.0.1:${port}${before}${path}`;
    if (name === "nginx" || name === "floor") all[name] = { pid, url: url(prefix) };
    else if (name === "portkey") all[name] = { pid, url: url(""), headers: portkeyHeaders(prefix) };
    else all[name] = { pid, url: url(""), headers: { authorization: `Bearer ${KEY}`, "x-bench": kind } };
  }
  return all;
}

function portkeyHeaders(prefix) {
  return {
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `http://127.0.0.1:${mock}${prefix}/v1`,
    authorization: "Bearer sk-upstream",
  };
}

/**
 * Writes a configuration with a key, an upstream for each kind of response, rules that select it by a header, and
 * `settings`. Returns the path of the file.
 */
export function writeConfig(folder, mock, settings = {}) {
  const kinds = Object.entries(PREFIXES);
  const upstream = (base_url) => ({ dialect: "chat-completions", base_url, api_key: "sk-upstream" });
  const proxy = {
    auth_mode: "strict",
    api_keys: [KEY],
    upstreams: Object.fromEntries(
      kinds.map(([kind, prefix]) => [kind, upstream(`http://127.0.0.1:${mock}${prefix}`)]),
    ),
    models: kinds.map(([kind]) => ({ match: "*", upstream: kind, when: { header: { "x-bench": kind } } })),
    ...settings,
  };
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ proxy }));
  return file;
}

/** Resolves when a process accepts connections on a port. Throws after 20 s. */
export async function listening(port) {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (await isListening(port)) return;
    await delay(50);
  }
  throw new Error(`nothing listens on ${port}`);
}

function isListening(port) {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      done(true);
    });
    socket.on("error", () => done(false));
  });
}

/** Returns the CPU time of a process and all its threads, in microseconds. */
export function cpuOf(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const spent = (task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  return tasks.reduce((sum, task) => sum + spent(task) / 1_000, 0);
}

/** Returns the resident memory of a process in megabytes. */
export function memoryOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
