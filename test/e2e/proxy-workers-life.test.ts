import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { startFakeUpstream } from "../support/fake-upstream.ts";
import {
  ask,
  askUntil,
  childrenOf,
  isAlive,
  metricsWith,
  type ProxyCommand,
  startProxyCommand,
  type WorkerResponse,
} from "../support/proxy-workers.ts";
import { quietPort } from "../support/quiet-port.ts";
import { startCommand } from "../support/spawned-command.ts";
import { until } from "../support/start-proxy.ts";

const KEY = "sk-clients-0123456789abcdef";
const START = 'event: message_start\ndata: {"type":"message_start"}\n\n';
const STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

/** A proxy in front of an upstream whose streams end when the test ends them. */
async function startStreaming(workers: number, limits: { readonly descriptors?: number } = {}) {
  let endStreams = () => {};
  const ended = new Promise<void>((resolve) => {
    endStreams = resolve;
  });
  const upstream = await startFakeUpstream(async (_hit, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(START);
    await ended;
    response.end(STOP);
  });
  onTestFinished(() => upstream.close());
  const settings = { upstreams: { a: { dialect: "messages", base_url: upstream.url, models: ["m"] } } };
  const proxy = await startProxyCommand(settings, workers, limits);
  const stream = () => ask(proxy, "/v1/messages", { model: "m", max_tokens: 9, stream: true, messages: [] });
  return { proxy, stream, endStreams };
}

const outcomeOf = (response: WorkerResponse) => response.text().catch(() => "broken off");

/** Kills a worker; resolves when another one has replaced it. */
async function replace(proxy: ProxyCommand, pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await proxy.waitForOutput(new RegExp(`Worker ${pid} ended unexpectedly \\(SIGKILL\\)[^]*replaces it`));
}

describe("a worker that is killed", () => {
  it("ends only its own streams, and is replaced by a worker with the newest configuration", async () => {
    const { proxy, stream, endStreams } = await startStreaming(2);
    const one = await stream();
    const other = await askUntil(stream, ({ worker }) => worker !== one.worker);
    const [text, otherText] = [outcomeOf(one), outcomeOf(other)];
    const [victim = 0] = childrenOf(proxy.child.pid);
    await replace(proxy, victim);
    endStreams();
    expect([await text, await otherText].toSorted()).toEqual(["broken off", `${START}${STOP}`].toSorted());
    proxy.save({ auth_mode: "strict", api_keys: [KEY] });
    await proxy.waitForOutput(/Configuration reloaded/);
    const [next = 0] = childrenOf(proxy.child.pid);
    await replace(proxy, next);
    for (let time = 0; time < 6; time += 1) expect((await ask(proxy, "/healthz")).status).toBe(401);
    expect(childrenOf(proxy.child.pid)).toHaveLength(2);
  });

  it("is replaced at the same address, even if the file has another one now", async () => {
    const proxy = await startProxyCommand({}, 2);
    proxy.save({ host: "127.0.0.2" });
    await proxy.waitForOutput(/These settings take effect at the next start: host\./);
    for (const pid of childrenOf(proxy.child.pid)) await replace(proxy, pid);
    expect((await ask(proxy, "/healthz")).status).toBe(200);
  });

  it("leaves no connection waiting that it had not accepted yet", async () => {
    const proxy = await startProxyCommand({}, 2);
    const [stopped = 0] = childrenOf(proxy.child.pid);
    process.kill(stopped, "SIGSTOP");
    // Connections are assigned in turn, and one worker does not receive its connection.
    const asked = [0, 1].map(() => ask(proxy, "/healthz").then(({ status }) => status));
    expect(await Promise.race(asked)).toBe(200);
    process.kill(stopped, "SIGKILL");
    const outcomes = (await Promise.allSettled(asked)).map((outcome) => outcome.status);
    expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("keeps its counts in the metrics", async () => {
    const proxy = await startProxyCommand({}, 2);
    const body = { model: "echo", messages: [{ role: "user", content: "Hello" }] };
    for (let time = 0; time < 6; time += 1) await (await ask(proxy, "/v1/chat/completions", body)).text();
    const six = /^sallyport_calls_total.* 6$/m;
    await metricsWith(proxy, six);
    for (const pid of childrenOf(proxy.child.pid)) await replace(proxy, pid);
    expect(await (await ask(proxy, "/metrics")).text()).toMatch(six);
  });

  it("ends the proxy with the reason if it happens repeatedly, leaving no processes", async () => {
    const proxy = await startProxyCommand({}, 5);
    const workers = childrenOf(proxy.child.pid);
    for (const pid of workers) process.kill(pid, "SIGKILL");
    const { code, stderr } = await proxy.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("sallyport: Workers ended repeatedly, the last one with SIGKILL");
    expect(childrenOf(proxy.child.pid)).toEqual([]);
  });
});

describe("workers with few file descriptors", () => {
  it("serve again after more concurrent streams than descriptors", async () => {
    const { proxy, stream, endStreams } = await startStreaming(2, { descriptors: 128 });
    const streams = Array.from({ length: 200 }, stream);
    const statuses = (await Promise.allSettled(streams)).map((each) =>
      each.status === "fulfilled" ? each.value.status : 0,
    );
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(20);
    expect((await ask(proxy, "/healthz")).status).toBe(200);
    endStreams();
    for (const each of await Promise.allSettled(streams))
      if (each.status === "fulfilled") await outcomeOf(each.value);
    for (let time = 0; time < 20; time += 1) expect((await ask(proxy, "/healthz")).status).toBe(200);
  });
});

describe("stopping a proxy with workers", () => {
  it("completes running streams, accepts no new calls and leaves no processes", async () => {
    const { proxy, stream, endStreams } = await startStreaming(2);
    const one = await stream();
    const other = await askUntil(stream, ({ worker }) => worker !== one.worker);
    const workers = childrenOf(proxy.child.pid);
    // Signals all processes of the group, as Ctrl-C does.
    for (const pid of [...workers, proxy.child.pid ?? 0]) process.kill(pid, "SIGINT");
    await proxy.waitForOutput(/Stopping:/);
    await expect(ask(proxy, "/healthz")).rejects.toThrow("ECONNREFUSED");
    endStreams();
    expect(await one.text()).toBe(`${START}${STOP}`);
    expect(await other.text()).toBe(`${START}${STOP}`);
    expect((await proxy.ended).code).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  });

  it("ends at once on a second signal", async () => {
    const { proxy, stream } = await startStreaming(2);
    const workers = childrenOf(proxy.child.pid);
    const response = await stream();
    proxy.child.kill("SIGTERM");
    await proxy.waitForOutput(/Stopping:/);
    expect(proxy.child.exitCode).toBeNull();
    proxy.child.kill("SIGTERM");
    expect(await outcomeOf(response)).not.toContain(STOP);
    expect((await proxy.ended).code).toBe(143);
    expect(workers.filter(isAlive)).toEqual([]);
  });

  it("ends the workers if the primary is killed, with or without streams", async () => {
    const { proxy, stream } = await startStreaming(2);
    const response = await stream();
    const workers = childrenOf(proxy.child.pid);
    proxy.child.kill("SIGKILL");
    expect(await outcomeOf(response)).toBe("broken off");
    await until(() => !workers.some(isAlive));
  });

  it("works before the workers serve", async () => {
    const command = await startCommand([
      "proxy",
      "start",
      "--port",
      String(await quietPort()),
      "--workers",
      "2",
    ]);
    await until(() => childrenOf(command.child.pid).length > 0);
    const workers = childrenOf(command.child.pid);
    command.child.kill("SIGTERM");
    expect((await command.ended).code).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  });
});

describe("starting a proxy with workers", () => {
  it("fails if the port is taken", async () => {
    const server = createServer((socket) => socket.destroy());
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve(Object(server.address()).port));
    });
    onTestFinished(() => void server.close());
    const command = await startCommand(["proxy", "start", "--port", String(port), "--workers", "2"]);
    const { code, stderr } = await command.ended;
    expect([code, stderr.split("\n")[0]]).toEqual([3, `sallyport: Port ${port} in use [port_in_use]`]);
  });

  it("starts no other process for one worker", async () => {
    const proxy = await startProxyCommand({}, 1);
    expect(childrenOf(proxy.child.pid)).toEqual([]);
    expect(proxy.stderr()).not.toContain("workers");
  });

  it.each(["0", "-1", "1.5", "two", "129"])("rejects %s workers", async (workers) => {
    const { code, stderr } = await (await startCommand(["proxy", "start", `--workers=${workers}`])).ended;
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^sallyport: flag --workers must be .*\d/)]);
  });

  it("rejects `proxy worker` as a command", async () => {
    const { code, stderr } = await (await startCommand(["proxy", "worker"])).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining("`proxy start --workers` runs it")]);
  });
});
