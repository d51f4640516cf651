import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { NO_CALLS } from "../../../src/proxy/dashboard/activity.ts";
import { NO_GATEWAY } from "../../../src/proxy/gateway/gateway.ts";
import { NO_COUNTS } from "../../../src/proxy/observability/sum-counts.ts";
import { failAbandoned } from "../../../src/proxy/pipeline/background-responses.ts";
import {
  type ConversationStore,
  createMemoryConversations,
} from "../../../src/proxy/translate/conversations/conversation-store.ts";
import { startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, until } from "../../support/start-proxy.ts";
import { WHOLE } from "../../support/vendor-responses.ts";

const [DEAD, ALIVE, OWN] = ["0123456789ab", "aaaaaaaaaaaa", "bbbbbbbbbbbb"];
const NOW = Date.now();

/** A process that started a minute ago, in addition to another one. */
const services = {
  replicaId: OWN,
  startedAt: NOW - 60_000,
  gateway: {
    ...NO_GATEWAY,
    store: async () =>
      ({ replicas: async () => [{ id: ALIVE, version: "", since: 0, inFlight: 0 }] }) as unknown as Awaited<
        ReturnType<typeof NO_GATEWAY.store>
      >,
  },
};

async function read(creator: string, agoMs: number, status = "in_progress") {
  const id = `resp_bgreq_${creator}4`;
  const conversations = createMemoryConversations();
  const text = JSON.stringify({ id, status, background: true, created_at: Math.floor((NOW - agoMs) / 1000) });
  await conversations.save(id, { turns: [], responseText: text }, text.length);
  const returned = JSON.parse(await failAbandoned(services, conversations, id, text));
  const kept = JSON.parse((await conversations.load(id))?.responseText ?? "");
  expect(kept).toEqual(returned);
  return returned;
}

describe("a background response whose process has ended", () => {
  it("is stored as failed when it is read after the next start", async () => {
    expect(await read(DEAD, 90_000)).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: "The process that created the response has ended." },
    });
    expect((await read(DEAD, 90_000, "queued")).status).toBe("failed");
    expect((await read(DEAD, 30_000)).status).toBe("failed");
  });

  it("stays as it is if it has ended, or if its process runs or may have just started", async () => {
    expect((await read(DEAD, 90_000, "completed")).status).toBe("completed");
    expect((await read(ALIVE, 90_000)).status).toBe("in_progress");
    expect((await read(OWN, 10_000)).status).toBe("in_progress");
    expect((await read(DEAD, 1_000)).status).toBe("in_progress");
  });
});

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts two processes of one proxy, which share the stored conversations, and a vendor that does not respond. */
async function startWorkers() {
  const responses: ServerResponse[] = [];
  const vendor = await startFakeUpstream((_hit, response) => void responses.push(response));
  closers.push(vendor.close);
  const stored = createMemoryConversations();
  const state = { isUnavailable: false };
  const conversations: ConversationStore = {
    ...stored,
    async load(id, onUnavailable) {
      if (!state.isUnavailable) return stored.load(id);
      onUnavailable?.();
      return undefined;
    },
  };
  const shared = {
    instanceId: "one-proxy",
    conversations,
    totals: async () => NO_COUNTS,
    activity: async () => NO_CALLS,
    history: { startedAt: Date.now(), configuration: { readAt: Date.now() } },
  };
  const upstream = { dialect: "messages", base_url: vendor.url, api_key: "sk-upstream-0123456789" };
  const settings = { upstreams: { main: upstream }, models: [{ match: "*", upstream: "main" }] };
  const first = await startTestProxy(settings, {}, { shared });
  const second = await startTestProxy(settings, {}, { shared });
  closers.push(first.close, second.close);
  const created = await fetch(`${first.url}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", input: "Hi", background: true }),
  });
  const { id } = (await created.json()) as { id: string };
  await until(() => responses.length === 1);
  const other = `${second.url}/v1/responses/${id}`;
  const readStatus = async () => ((await (await fetch(other)).json()) as { status: string }).status;
  return { response: responses[0] as ServerResponse, state, other, readStatus };
}

describe("a background response of another process", () => {
  it("ends at the vendor when it is canceled or deleted", async () => {
    const { response, other, readStatus } = await startWorkers();
    const closed = once(response, "close");
    expect((await fetch(`${other}/cancel`, { method: "POST" })).status).toBe(200);
    await closed;
    expect(await readStatus()).toBe("cancelled");
    const deleted = await startWorkers();
    const ended = once(deleted.response, "close");
    await fetch(deleted.other, { method: "DELETE" });
    await ended;
  });

  it("is stored when the database is available again", async () => {
    const { response, state, readStatus } = await startWorkers();
    state.isUnavailable = true;
    response.writeHead(200, { "content-type": "application/json" }).end(WHOLE.messages);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    state.isUnavailable = false;
    await expect.poll(readStatus, { timeout: 10_000 }).toBe("completed");
  });
});
