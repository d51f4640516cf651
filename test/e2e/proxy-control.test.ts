import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { startFakeUpstream } from "../support/fake-upstream.ts";
import { quietPort } from "../support/quiet-port.ts";
import { COMMAND, sandbox, startCommand } from "../support/spawned-command.ts";

/** Runs a command until it ends. */
async function run(folder: string, ...args: string[]) {
  return (await startCommand(args, { folder })).ended;
}

/** A proxy with a fake upstream. It ends with the test, even if another process has replaced it. */
async function startProxy(workers: number, respond?: Parameters<typeof startFakeUpstream>[0]) {
  const folder = await sandbox();
  const upstream = await startFakeUpstream(respond);
  onTestFinished(() => upstream.close());
  const port = await quietPort();
  const file = join(folder, "config.json");
  const local = { dialect: "messages", base_url: upstream.url, api_key: "local-upstream-key" };
  await writeFile(file, JSON.stringify({ proxy: { port, workers, upstreams: { local } } }));
  onTestFinished(async () => {
    await run(folder, "proxy", "stop", "--all");
  });
  return { folder, port, args: ["proxy", "start", "--config", file] };
}

/** Calls the proxy over one persistent connection. */
function caller(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return () =>
    new Promise<number>((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port, path: "/healthz", agent },
        (response) => void response.resume().on("end", () => resolve(response.statusCode ?? 0)),
      );
      sent.on("error", reject).end();
    });
}

it("runs in the background, is listed, and stops", async () => {
  const { folder, port, args } = await startProxy(1);
  expect((await run(folder, "proxy", "status")).code).toBe(3);
  const started = await run(folder, ...args, "--detach", "--json");
  expect(started).toMatchObject({ code: 0 });
  expect(JSON.parse(started.stdout)).toMatchObject({ url: `http://localhost:${port}`, port });
  const { pid } = JSON.parse(started.stdout) as { pid: number };
  // Variables that glibc's allocator reads when a process starts.
  if (process.platform === "linux")
    expect(await readFile(`/proc/${pid}/environ`, "latin1")).toMatch(/(^|\0)MALLOC_ARENA_MAX=1\0/);
  const status = await run(folder, "proxy", "status", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ proxies: [{ port, ready: true, service: null }] });
  expect((await run(folder, "proxy", "open")).stdout).toBe(`http://localhost:${port}/\n`);
  expect(await run(folder, "proxy", "stop")).toMatchObject({ code: 0, stdout: "" });
  expect((await run(folder, "proxy", "status")).code).toBe(3);
});

it("is listed before the ready file exists", async () => {
  const { folder, args } = await startProxy(1);
  const ready = join(folder, "ready.json");
  await startCommand([...args, "--ready-file", ready], { folder });
  await vi.waitFor(() => expect(existsSync(ready)).toBe(true), { timeout: 60_000, interval: 1 });
  const { pid } = JSON.parse(await readFile(ready, "utf8")) as { pid: number };
  expect(existsSync(join(folder, "data/proxy/running", `${pid}.json`))).toBe(true);
});

it("in the background reports why it could not start", async () => {
  const { folder } = await startProxy(1);
  const { code, stderr } = await run(folder, "proxy", "start", "--detach", "--port", "0");
  expect(code).toBe(2);
  expect(stderr).toContain("--port");
});

it("is replaced by a new process without losing a call", async () => {
  let finish = () => {};
  const { folder, port, args } = await startProxy(1, (_hit, response) => {
    response.writeHead(200, { "content-type": "application/json" }).write("{");
    finish = () => void response.end('"type":"message"}');
  });
  const old = await startCommand(args, { folder });
  await old.waitForOutput(/Proxy listening/);
  const long = fetch(`http://127.0.0.1:${port}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "hi" }] }),
  });
  const response = await long;
  let isOver = false;
  const statuses: number[] = [];
  const calling = [caller(port), caller(port)].map(async (call) => {
    while (!isOver) statuses.push(await call());
  });
  const restarted = await run(folder, "proxy", "restart", "--json");
  expect(restarted).toMatchObject({ code: 0 });
  const { pid, replaced } = JSON.parse(restarted.stdout) as { pid: number; replaced: { pid: number } };
  expect(replaced.pid).toBe(old.child.pid);
  expect(pid).not.toBe(old.child.pid);
  const before = statuses.length;
  await expect.poll(() => statuses.length).toBeGreaterThan(before + 50);
  isOver = true;
  await Promise.all(calling);
  expect(new Set(statuses)).toEqual(new Set([200]));
  // The old process completes the call that began earlier.
  finish();
  expect(await response.text()).toBe('{"type":"message"}');
});

it("is replaced with several workers too", async () => {
  const { folder, port, args } = await startProxy(2);
  const old = await startCommand(args, { folder });
  await old.waitForOutput(/Proxy listening/);
  // Not its `close`: the new process has inherited its stderr.
  const exited = once(old.child, "exit");
  const { code, stdout, stderr } = await run(folder, "proxy", "restart", "--json");
  expect([code, stderr]).toEqual([0, "Connections are refused until the new process listens.\n"]);
  expect(JSON.parse(stdout)).toMatchObject({ port, replaced: { pid: old.child.pid } });
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect(await exited).toEqual([0, null]);
});

it("continues if the new process cannot start", async () => {
  const { folder, port, args } = await startProxy(1);
  const old = await startCommand(args, { folder });
  await old.waitForOutput(/Proxy listening/);
  await writeFile(join(folder, "config.json"), "{");
  old.child.kill("SIGUSR2");
  await old.waitForOutput(
    /The new process did not start: it ended with exit code 2\.\n.*continues to serve/s,
  );
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});

it("serves on a listening socket that it inherits, as from a systemd socket unit", async () => {
  const folder = await sandbox();
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const descriptor: number = Reflect.get(Reflect.get(listener, "_handle"), "fd");
  const child = spawn(process.execPath, [COMMAND, "proxy", "start", "--port", "1"], {
    env: {
      PATH: process.env["PATH"],
      HOME: join(folder, "home"),
      SERVICE_HOME: join(folder, "data"),
      LISTEN_FDS: "1",
    },
    stdio: ["ignore", "ignore", "pipe", descriptor],
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  });
  await once(child.stderr as Readable, "data");
  listener.close();
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});

it("prints calls as lines, and follows them", async () => {
  const { folder, port, args } = await startProxy(1, (_hit, response) => void response.end("{}"));
  const proxy = await startCommand(args, { folder });
  await proxy.waitForOutput(/Proxy listening/);
  const call = () =>
    fetch(`http://127.0.0.1:${port}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "hi" }] }),
    });
  const follower = await startCommand(["proxy", "logs", "--follow"], { folder });
  await call();
  await expect.poll(() => follower.stdout()).toMatch(/POST \/v1\/messages {2}m → local/);
  follower.child.kill("SIGINT");
  expect((await follower.ended).code).toBe(130);
  const { stdout } = await run(folder, "proxy", "logs", "--json", "--lines", "1");
  expect(JSON.parse(stdout)).toMatchObject({ route: "/v1/messages", upstream: "local" });
});
