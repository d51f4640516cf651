import { describe, expect, it } from "vitest";
import { NO_GATEWAY } from "../../../src/proxy/gateway/gateway.ts";
import { failAbandoned } from "../../../src/proxy/pipeline/background-responses.ts";
import { createMemoryConversations } from "../../../src/proxy/translate/conversations/conversation-store.ts";

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
