import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type FailureCase,
  type FaultyUpstream,
  modelOf,
  question,
  startFaultyUpstream,
} from "../support/faulty-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";
import { chunk, sseHead, type UpstreamFailure } from "../support/upstream-errors.ts";
import { DIALECTS, EVENTS } from "../support/vendor-responses.ts";

/** The upstream sends nothing more, so only the disconnect of the client ends these calls. */
const SILENT: UpstreamFailure = { name: "before the head", behave: () => {} };
const BEGUN: UpstreamFailure = {
  name: "in the middle of a stream",
  behave: (socket, dialect) =>
    void socket.write(Buffer.concat([Buffer.from(sseHead), chunk(EVENTS[dialect][0] ?? "")])),
};
const CASES = DIALECTS.flatMap((client) =>
  DIALECTS.flatMap((upstream) =>
    [
      { client, upstream, isStream: false, failure: SILENT },
      { client, upstream, isStream: true, failure: SILENT },
      { client, upstream, isStream: true, failure: BEGUN },
    ].map((each) => ({ ...each, title: titleOf(each) })),
  ),
);
const DISCONNECTED = { status: 499, retries: 0 };

let proxy: TestProxy;
let vendor: FaultyUpstream;
beforeAll(async () => {
  vendor = await startFaultyUpstream(CASES);
  proxy = await startTestProxy(vendor.settings);
});
afterAll(async () => {
  await proxy.close();
  await vendor.close();
  expect(proxy.internal).toEqual([]);
});

describe("a client disconnect cancels the upstream call and is logged as client_gone, without another attempt", () => {
  it.each(CASES.map((each, number) => [each.title, { ...each, number }] as const))(
    "%s",
    async (_title, { number, ...each }) => {
      const before = proxy.records.length;
      const client = await send(wholeRequest(number, each));
      if (each.failure === BEGUN) await once(client, "data");
      await until(() => vendor.open(number) === 1);
      client.destroy();
      await until(() => vendor.open(number) === 0);
      await until(() => proxy.records.length > before);
      expect(proxy.records.slice(before)).toEqual([expect.objectContaining(DISCONNECTED)]);
    },
  );

  it.each(DIALECTS.map((client) => [client] as const))("while a %s call is sent", async (client) => {
    const before = proxy.records.length;
    const number = CASES.findIndex((each) => each.client === client);
    const each = CASES[number];
    if (!each) throw new Error("every dialect has its cases");
    const half = await send(wholeRequest(number, each).slice(0, -5));
    half.destroy();
    await until(() => proxy.records.length > before);
    expect(vendor.open(number)).toBe(0);
    expect(proxy.records.slice(before)).toEqual([expect.objectContaining(DISCONNECTED)]);
  });
});

function titleOf({ client, upstream, isStream, failure }: FailureCase): string {
  return `${client} to ${upstream}, ${isStream ? "stream" : "JSON"}: ${failure.name}`;
}

/** Writes to the proxy like a program that crashes afterwards. */
async function send(text: string) {
  const client = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  client.on("error", () => {});
  await once(client, "connect");
  client.write(text);
  return client;
}

function wholeRequest(number: number, each: FailureCase): string {
  const { path, body } = question(each.client, modelOf(number, each), each.isStream);
  return [
    `POST ${path} HTTP/1.1`,
    "host: localhost",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}
