// Starts the mock as the vendor, Sallyport and claude-code-router. Only the subjects run on CPU 0.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startMock } from "../proxy/mock.mjs";

const root = resolve(import.meta.dirname, "../..");
export const [mock, ours, ccrJson, ccrStream] = [18_910, 18_911, 18_912, 18_913];
export const KEY = "sk-bench-0123456789abcdef";
const children = [];

export const headers = (kind) => ({
  authorization: `Bearer ${KEY}`,
  "x-api-key": KEY,
  "anthropic-version": "2023-06-01",
  "content-type": "application/json",
  "x-bench": kind,
});

function start(args, home) {
  const env = { PATH: process.env.PATH, HOME: home, NODE_ENV: "production" };
  const child = spawn("taskset", ["-c", "0", process.execPath, ...args], { env, stdio: "ignore" });
  children.push(child);
  return child;
}

async function listening(port) {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const open = await new Promise((done) => {
      const socket = connect(port, "127.0.0.1", () => done(!socket.destroy().connecting));
      socket.on("error", () => done(false));
    });
    if (open) return;
    await delay(50);
  }
  throw new Error(`nothing listens on ${port}`);
}

/** Starts the vendor. Resolves to its base URLs: JSON, a stream at once, a stream with an event every 20 ms. */
export async function startVendor(folder) {
  children.push(startMock(folder, mock));
  await listening(mock);
  const at = `http://127.0.0.1:${mock}`;
  return { json: at, sse: `${at}/sse`, live: `${at}/live` };
}

/** Starts Sallyport with a separate home folder; `x-bench` selects the vendor's address (`{name: base URL}`). */
export async function startOurs(folder, urls, command = join(root, "dist/sallyport.js"), port = ours) {
  const upstream = (url) => ({ dialect: "chat-completions", base_url: url, api_key: "sk-upstream" });
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "config.json");
  const models = Object.keys(urls).map((name) => ({
    match: "*",
    upstream: name,
    when: { header: { "x-bench": name } },
  }));
  const upstreams = Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, upstream(url)]));
  writeFileSync(
    config,
    JSON.stringify({ proxy: { auth_mode: "strict", api_keys: [KEY], upstreams, models } }),
  );
  const child = start([command, "proxy", "start", "--config", config, "--port", String(port)], folder);
  await listening(port);
  return child;
}

/** Starts one claude-code-router per vendor address, because its configuration has only one. */
async function startRouter(folder, home, port, base) {
  const own = join(home, `ccr-${port}`);
  mkdirSync(join(own, ".claude-code-router"), { recursive: true });
  const url = `${base}/v1/chat/completions`;
  const provider = { name: "mock", api_base_url: url, api_key: "sk-upstream", models: ["bench"] };
  const config = {
    LOG: false,
    HOST: "127.0.0.1",
    PORT: port,
    APIKEY: KEY,
    Providers: [provider],
    Router: { default: "mock,bench" },
  };
  writeFileSync(join(own, ".claude-code-router/config.json"), JSON.stringify(config));
  const command = resolve(folder, "node_modules/@musistudio/claude-code-router/dist/cli.js");
  const child = start([command, "start"], own);
  await listening(port);
  return child;
}

/**
 * Starts the vendor and the subjects. `ccr` is the folder of claude-code-router, if it is measured; `extra` are further
 * base URLs of vendors by name.
 */
export async function startAll(folder, ccr, extra) {
  const urls = await startVendor(folder);
  const proxy = await startOurs(folder, { ...urls, ...extra });
  const routers = ccr && {
    json: await startRouter(ccr, folder, ccrJson, urls.json),
    sse: await startRouter(ccr, folder, ccrStream, urls.sse),
  };
  return { proxy, routers };
}

export async function stopAll() {
  for (const child of children) child.kill();
  await delay(300);
}

/** Returns the CPU time of a process in milliseconds. */
export function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
