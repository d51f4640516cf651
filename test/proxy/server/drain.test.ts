import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { question } from "../../support/faulty-upstream.ts";
import { startTestProxy, until } from "../../support/start-proxy.ts";
import { WHOLE } from "../../support/vendor-responses.ts";

/** More bytes than fit into the socket buffers of both ends. */
const LONG = "x".repeat(12 * 1024 * 1024);

it("a stopping proxy sends all of a finished response to a slow client", async () => {
  const upstream = await startFakeUpstream(json(WHOLE.messages.replace("déjà", LONG)));
  const proxy = await startTestProxy({
    upstreams: { main: { dialect: "messages", base_url: upstream.url } },
    models: [{ match: "*", upstream: "main" }],
  });
  onTestFinished(async () => {
    await proxy.close();
    await upstream.close();
  });
  const { path, body } = question("chat-completions", "m", false);
  const headers = { "content-type": "application/json" };
  const call = request(`${proxy.url}${path}`, { method: "POST", headers }).end(body);
  const [response] = await once(call, "response");
  await until(() => proxy.records.length === 1);
  const drained = proxy.server.drain();
  let text = "";
  for await (const bytes of response.setEncoding("utf8")) text += bytes;
  expect(JSON.parse(text).choices[0].message.content).toContain(LONG);
  await drained;
});

it("a stopping proxy serves calls over open connections, and closes each after its response", async () => {
  let finish = () => {};
  const isAsked = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let respond = (): Promise<void> => isAsked;
  const upstream = await startFakeUpstream(async (hit, response) => {
    await respond();
    return json(WHOLE.messages)(hit, response);
  });
  const proxy = await startTestProxy({
    upstreams: { main: { dialect: "messages", base_url: upstream.url } },
    models: [{ match: "*", upstream: "main" }],
  });
  // Each agent has one connection.
  const [slow, idle, late] = [1, 2, 3].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  onTestFinished(async () => {
    for (const agent of [slow, idle, late]) agent?.destroy();
    await proxy.close();
    await upstream.close();
  });
  const { path, body } = question("messages", "m", false);
  const call = async (agent: Agent | undefined) => {
    const headers = { "content-type": "application/json" };
    const sent = request(`${proxy.url}${path}`, { method: "POST", headers, agent }).end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    for await (const _ of response);
    return { status: response.statusCode, connection: response.headers.connection };
  };
  const untilAsked = respond;
  respond = async () => {};
  expect(await call(idle)).toEqual({ status: 200, connection: "keep-alive" });
  respond = untilAsked;
  const running = call(slow);
  await until(() => upstream.hits.length === 2);
  let isDrained = false;
  const drained = proxy.server.drain().then(() => {
    isDrained = true;
  });
  respond = async () => {};
  // The listener closes in the next turn of the event loop.
  expect(await call(idle)).toEqual({ status: 200, connection: "close" });
  await expect(call(late)).rejects.toThrow("ECONNREFUSED");
  expect(isDrained).toBe(false);
  finish();
  expect(await running).toMatchObject({ status: 200 });
  await drained;
});

it("a proxy whose successor has taken over accepts no WebSockets on open connections", async () => {
  const proxy = await startTestProxy({});
  onTestFinished(() => proxy.close());
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const ask = async (path: string, headers = "") => {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`);
    return String(await once(socket, "data"));
  };
  expect(await ask("/healthz")).toMatch(/^HTTP\/1.1 200 /);
  const retired = proxy.server.retire();
  const response = await ask(
    "/v1/responses",
    "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
  );
  expect(response).toMatch(/^HTTP\/1.1 503 [\s\S]*The proxy is stopping/);
  await retired;
});
