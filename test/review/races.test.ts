import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { planServer } from "../support/plan-server.ts";

/** A plan server with real sockets that keeps running after the decision. */
async function listening() {
  const { app, context, folder } = await planServer();
  await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const send = async (method: string, path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  return { context, folder, url, send };
}

describe("tabs of one review", { timeout: 60_000 }, () => {
  it("send 100 concurrent decisions: one is taken, 99 get 409", async () => {
    const { context, send } = await listening();
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, number) =>
        number % 2 === 0 ? send("POST", "/api/approve", {}) : send("POST", "/api/deny", { feedback: "no" }),
      ),
    );
    const [winner, ...others] = responses.toSorted((one, two) => one.status - two.status);
    expect(winner).toMatchObject({ status: 200, body: { ok: true } });
    expect(others).toHaveLength(99);
    for (const other of others) expect(other).toEqual({ status: 409, body: { error: "Already decided" } });
    const { kind } = (await context.records.last())?.decision ?? {};
    expect(await context.session.outcome).toMatchObject({ kind: "decided", decision: { kind } });
  });

  it("save concurrently: each generation is one tab's, and the other gets the stored one", async () => {
    const { send } = await listening();
    for (let generation = 1; generation <= 20; generation += 1) {
      const responses = await Promise.all(
        ["one", "two"].map((tab) => send("PUT", "/api/draft", { generation, content: { tab, generation } })),
      );
      const stored = (await send("PUT", "/api/draft", { generation: 0, content: null })).body;
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(responses.find(({ status }) => status === 409)?.body).toEqual(stored);
      expect(stored).toMatchObject({ generation, content: { generation } });
    }
  });

  it("pipeline two decisions: the first is taken, even if its settings are read last", async () => {
    const { context, url } = await listening();
    const read = context.settings.read.bind(context.settings);
    vi.spyOn(context.settings, "read").mockImplementationOnce(async () => {
      await setTimeout(200);
      return read();
    });
    const bodies = ["/api/approve", "/api/deny"].map((path) =>
      [`POST ${path} HTTP/1.1`, `Host: ${new URL(url).host}`, "Content-Type: application/json"]
        .concat("Content-Length: 2", "", "{}")
        .join("\r\n"),
    );
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(bodies.join(""));
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    expect(await context.session.outcome).toMatchObject({ kind: "decided", decision: { kind: "approve" } });
  });

  it("learn of the other's decision by event, and of a late one by its response", async () => {
    const { url, send } = await listening();
    const response = await fetch(`${url}/api/events`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    expect((await send("POST", "/api/deny", { feedback: "no" })).status).toBe(200);
    while (!received.includes("event: decided")) received += (await reader?.read())?.value ?? "";
    expect(received).toContain('event: decided\ndata: {"decision":"deny"}\n\n');
    expect(await send("POST", "/api/approve", {})).toEqual({
      status: 409,
      body: { error: "Already decided" },
    });
    await reader?.cancel();
  });

  it("get the event of a decision only once the next round would contain it", async () => {
    const { context, folder, send } = await listening();
    const rounds = join(folder, "data", "history");
    const known: string[] = [];
    vi.spyOn(context.events, "send").mockImplementation(() => {
      for (const path of readdirSync(rounds, { recursive: true, encoding: "utf8" }))
        if (path.endsWith(".json")) known.push(readFileSync(join(rounds, path), "utf8"));
    });
    expect((await send("POST", "/api/deny", { feedback: "dig deeper" })).status).toBe(200);
    expect(known).toEqual([expect.stringContaining("dig deeper")]);
  });
});
