import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { createProxy } from "../../../src/proxy/create-proxy.ts";
import { startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf } from "../../support/start-proxy.ts";
import { EVENTS, WHOLE } from "../../support/vendor-responses.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A client in a separate thread, which sets the first number when its response is complete. */
const CLIENT = `
const { workerData: { url, body, done } } = require("node:worker_threads");
const flag = new Int32Array(done);
const options = { method: "POST", headers: { "content-type": "application/json" } };
require("node:http").request(url, options, (response) => {
  response.resume().on("end", () => {
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
}).end(body);
`;
/** Milliseconds in which the client would see the end of its response while the call is recorded. */
const POLL_MS = 250;

interface Scene {
  readonly upstream: "messages" | "chat-completions";
  readonly stream: boolean;
  readonly model?: string;
  /** Whether the log writes the record later in the same turn of the event loop. */
  readonly isBatched?: boolean;
}

/** Makes one call and returns whether its response was complete when the call was recorded. */
async function isCompleteWhenRecorded({
  upstream: dialect,
  stream,
  model = "m",
  isBatched = false,
}: Scene): Promise<boolean> {
  const upstream = await startFakeUpstream((_hit, response) => {
    response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
    response.end(stream ? EVENTS[dialect].join("") : WHOLE[dialect]);
  });
  closers.push(upstream.close);
  const done = new SharedArrayBuffer(4);
  const flag = new Int32Array(done);
  const upstreams = {
    a: { dialect, base_url: upstream.url, api_key: "sk-upstream-0123456789", models: ["m"] },
  };
  let ended = () => {};
  const exited = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const isComplete = await new Promise<boolean>((resolve, reject) => {
    const server = createProxy(configOf({ upstreams }), {
      log: {
        add: () => {
          if (!isBatched) resolve(Atomics.wait(flag, 0, 0, POLL_MS) !== "timed-out");
        },
        afterWrite: isBatched
          ? (run) =>
              setImmediate(() => {
                resolve(Atomics.wait(flag, 0, 0, POLL_MS) !== "timed-out");
                run();
              })
          : (run) => run(),
        refused: () => {},
        close: async () => {},
      },
      onInternal: reject,
    });
    closers.push(() => server.close());
    server.app.listen({ port: 0, host: "127.0.0.1" }).then(() => {
      const { port } = server.app.server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/v1/messages`;
      const messages = [{ role: "user", content: "Hi" }];
      const body = JSON.stringify({ model, stream, max_tokens: 50, messages });
      const client = new Worker(CLIENT, { eval: true, workerData: { url, body, done } });
      client.once("exit", ended);
      closers.push(() => client.terminate());
    }, reject);
  });
  await exited;
  expect(flag[0]).toBe(1);
  return isComplete;
}

describe("the record of a call", () => {
  it.each<[string, Scene]>([
    ["a relayed response", { upstream: "messages", stream: false }],
    ["a relayed stream", { upstream: "messages", stream: true }],
    ["a relayed response of a batch", { upstream: "messages", stream: false, isBatched: true }],
    ["a relayed stream of a batch", { upstream: "messages", stream: true, isBatched: true }],
    ["a translated stream of a batch", { upstream: "chat-completions", stream: true, isBatched: true }],
    ["a translated response", { upstream: "chat-completions", stream: false }],
    ["a translated stream", { upstream: "chat-completions", stream: true }],
    ["an error of the proxy", { upstream: "messages", stream: false, model: "other" }],
    ["the echo's stream", { upstream: "messages", stream: true, model: "echo/m" }],
  ])("is written before the last byte of %s, which follows", async (_name, scene) => {
    expect(await isCompleteWhenRecorded(scene)).toBe(false);
  });
});
