import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createKeyRing } from "../../../src/proxy/auth/key-ring.ts";
import { relayTo, sendTo } from "../../../src/proxy/upstream/clients.ts";
import { createOpenStreams } from "../../../src/proxy/upstream/open-streams.ts";
import { createPools } from "../../../src/proxy/upstream/pools.ts";
import { startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf, until } from "../../support/start-proxy.ts";

/** Starts a pool whose only connection is in use by a call without a response. */
async function startFullPool() {
  const silent = await startFakeUpstream(() => new Promise(() => {}));
  const pools = createPools(undefined, 1);
  onTestFinished(async () => {
    await pools.destroy();
    await silent.close();
  });
  const named = (firstByte: number) => {
    const timeouts = { first_byte: firstByte };
    const settings = {
      upstreams: { a: { dialect: "messages", base_url: silent.url, models: ["m"], timeouts } },
    };
    const upstream = configOf(settings).upstreams.get("a");
    if (upstream === undefined) throw new Error("no upstream");
    return upstream;
  };
  const send = (firstByte: number) =>
    sendTo(pools, named(firstByte), { method: "GET", path: "/", headers: [], body: null });
  send(60).catch(() => {});
  await until(() => silent.hits.length === 1);
  return { pools, named, send };
}

describe("a call that waits for a connection", () => {
  it("is counted as queued, and fails within first_byte", async () => {
    const { pools, send } = await startFullPool();
    const outcome = send(0.05).catch((error: unknown) => error);
    expect(pools.queued()).toBe(1);
    expect(await outcome).toMatchObject({ code: "upstream_timeout" });
  });

  it("fails within first_byte when it is relayed, before anything is sent", async () => {
    const { pools, named } = await startFullPool();
    const outcome = await new Promise((resolve) => {
      const server = createServer((request, response) => {
        const needs = {
          key: undefined,
          via: "here",
          acceptEncoding: undefined,
          contentLength: undefined,
          contentCoding: undefined,
          keys: createKeyRing([]),
        };
        const wanted = { method: "GET", path: "/", rawHeaders: request.rawHeaders, body: null, needs };
        resolve(
          relayTo(pools, named(0.05), wanted, {
            requestId: "req_1",
            upstream: "a",
            response,
            kind: "verbatim",
            mayBeEmpty: false,
            isLive: false,
            createFilter: undefined,
            ownHeaders: [],
            redact: String,
            dialect: undefined,
            streams: createOpenStreams(() => 60_000),
            endWith: (send) => send(),
          }).finally(() => response.end()),
        );
      }).listen(0, "127.0.0.1", async () => {
        await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        server.close();
      });
    });
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "upstream_timeout" } });
  });
});
