import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FakeUpstream, startFakeUpstream, type Respond as Upstream } from "../support/fake-upstream.ts";
import {
  ask,
  askUntil,
  metricsWith,
  type ProxyCommand,
  startProxyCommand,
  type WorkerResponse,
} from "../support/proxy-workers.ts";

const KEY = "sk-clients-0123456789abcdef";
const right = { authorization: `Bearer ${KEY}` };
const body = { model: "echo", messages: [{ role: "user", content: "Hello" }] };
const call = (proxy: ProxyCommand, headers = {}) => ask(proxy, "/v1/chat/completions", body, { headers });

async function upstreamFor(respond: Upstream): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(respond);
  onTestFinished(() => upstream.close());
  return upstream;
}

/** Sends calls until `count` different workers have responded; resolves to all responses, with their bodies. */
async function callsOn(count: number, again: () => Promise<WorkerResponse>): Promise<WorkerResponse[]> {
  const responses: WorkerResponse[] = [];
  while (new Set(responses.map(({ worker }) => worker)).size < count) {
    const response = await again();
    await response.text();
    responses.push(response);
  }
  return responses;
}

describe("state that workers share", () => {
  it("is one address, one set of counts, one complete log, one banner and one exit", async () => {
    const proxy = await startProxyCommand({}, 3);
    const responses = await callsOn(3, () => call(proxy));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const all = new RegExp(`^sallyport_calls_total\\{.*\\} ${responses.length}$`, "m");
    expect((await metricsWith(proxy, all)).match(/^sallyport_calls_total/gm)).toHaveLength(1);
    // The result is the same for every worker.
    for (let time = 0; time < 6; time += 1) expect(await (await ask(proxy, "/metrics")).text()).toMatch(all);
    expect(JSON.parse(await (await ask(proxy, "/readyz")).text())).toEqual({ status: "ready", active: 0 });
    proxy.child.kill("SIGTERM");
    const { code, stdout, stderr } = await proxy.ended;
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr.match(/Proxy listening/g)).toHaveLength(1);
    expect(stderr).toMatch(/workers +3\n/);
    const ids = responses.map(({ response }) => response.headers["x-sallyport-request-id"]);
    expect(
      proxy
        .logged()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ids.toSorted());
  });

  it("contains stored responses, which any worker continues, reads and deletes", async () => {
    const upstream = await upstreamFor((_hit, response) => {
      const message = { role: "assistant", content: "Sevenfold." };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] }),
      );
    });
    const proxy = await startProxyCommand(
      { upstreams: { a: { dialect: "chat-completions", base_url: upstream.url, models: ["m"] } } },
      2,
    );
    const create = (input: string, more = {}) => ask(proxy, "/v1/responses", { model: "m", input, ...more });
    const first = await create("How often?");
    const { id } = JSON.parse(await first.text()) as { id: string };
    const elsewhere = ({ worker }: WorkerResponse) => worker !== first.worker;
    const second = await askUntil(() => create("Again?", { previous_response_id: id }), elsewhere);
    expect(second.status).toBe(200);
    const sent = JSON.parse(String(upstream.hits.at(-1)?.body)) as { messages: { content: unknown }[] };
    expect(JSON.stringify(sent.messages)).toMatch(/How often\?.*Sevenfold\..*Again\?/);
    const read = await askUntil(() => ask(proxy, `/v1/responses/${id}`), elsewhere);
    expect(await read.text()).toContain("Sevenfold.");
    const deleted = await ask(proxy, `/v1/responses/${id}`, undefined, { method: "DELETE" });
    expect(deleted.status).toBe(200);
    const after = await callsOn(2, () => ask(proxy, `/v1/responses/${id}`));
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([404]));
  });

  it("contains the instance id that detects forwarding loops", async () => {
    const proxy = await startProxyCommand({}, 2);
    const base_url = `http://127.0.0.1:${proxy.port}`;
    proxy.save({ upstreams: { self: { dialect: "chat-completions", base_url, models: ["echo"] } } });
    await proxy.waitForOutput(/Configuration reloaded/);
    for (let time = 0; time < 4; time += 1) expect((await call(proxy)).status).toBe(508);
    // Each call was served once, and rejected by admission when it returned.
    await metricsWith(proxy, /^sallyport_calls_total\{.*"508".*\} 4$/m);
  });

  it("contains the configuration: a new one reaches all workers at once, an invalid one none", async () => {
    const proxy = await startProxyCommand({}, 2);
    await callsOn(2, () => call(proxy));
    proxy.save({ auth_mode: "sometimes" });
    await proxy.waitForOutput(/the previous one stays in force.*proxy\.auth_mode/);
    for (const { status } of await callsOn(2, () => call(proxy))) expect(status).toBe(200);
    proxy.save({ auth_mode: "strict", api_keys: [KEY] });
    await proxy.waitForOutput(/Configuration reloaded/);
    for (let time = 0; time < 6; time += 1) expect((await ask(proxy, "/healthz")).status).toBe(401);
    for (const { status } of await callsOn(2, () => call(proxy, right))) expect(status).toBe(200);
  });

  it("contains the number of connections: one above the limit gets 503, probes are answered", async () => {
    const proxy = await startProxyCommand({ limits: { connections: 2 } }, 2);
    const sockets = Array.from({ length: 8 }, () => connect(proxy.port, "127.0.0.1").on("error", () => {}));
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const statuses: (string | undefined)[] = [];
    for (const socket of sockets) {
      socket.write("GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n");
      statuses.push(/^HTTP\/1\.1 (\d+) /.exec(String(await once(socket, "data")))?.[1]);
    }
    expect(statuses.filter((status) => status === "503").length).toBeGreaterThanOrEqual(6);
    expect(new Set(statuses)).toEqual(new Set(["200", "503"]));
    expect((await ask(proxy, "/healthz")).status).toBe(200);
  });

  it("contains the log file, which one worker at a time rotates", async () => {
    const proxy = await startProxyCommand({ logging: { max_file: 4096, files: 9 } }, 2);
    const responses = await callsOn(2, () => call(proxy));
    while (responses.length < 50) {
      const response = await call(proxy);
      await response.text();
      responses.push(response);
    }
    proxy.child.kill("SIGTERM");
    expect((await proxy.ended).code).toBe(0);
    expect(new Set(proxy.logged().map(({ id }) => id)).size).toBe(responses.length);
    // Each worker has written at least once, and both together wrote more than one file may hold.
    expect(await readdir(join(proxy.folder, "data", "proxy"))).toContain("requests.ndjson.1");
  });
});
