import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CreateMessageRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import {
  EventMemory,
  type RecordedEvent,
  StreamRecords,
} from "../../../src/proxy/mcp/gateway/stream-record.ts";
import {
  connectClient,
  createSignal,
  eventually,
  startMcpServer,
  startRelay,
} from "../../support/mcp-servers.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a server whose tool `wait` reports progress, then waits for `release`. */
async function startSlowServer() {
  const waiting = createSignal();
  const server = await startMcpServer(() => {
    const mcp = new McpServer({ name: "slow", version: "1.0.0" });
    mcp.registerTool("wait", { inputSchema: {} }, async (_args, extra) => {
      const progressToken = extra._meta?.progressToken;
      const report = async (progress: number) => {
        if (progressToken === undefined) return;
        await extra.sendNotification({
          method: "notifications/progress",
          params: { progressToken, progress },
        });
      };
      await report(1);
      await waiting.promise;
      await report(2);
      return { content: [{ type: "text", text: "waited" }] };
    });
    return mcp;
  });
  closers.push(server.close);
  return {
    url: server.url,
    release: () => waiting.resolve(),
    /** Delays the server's responses until `release`. */
    hold() {
      server.hold = waiting.promise;
    },
  };
}

async function proxyFor(mcp: object): Promise<TestProxy> {
  const proxy = await startTestProxy({ mcp });
  closers.push(proxy.close);
  return proxy;
}

const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Begins a session without the SDK. Returns functions that send a message and open a stream in the session. */
async function beginSession(proxy: TestProxy, version = "2025-11-25") {
  const url = `${proxy.url}/mcp`;
  const begun = await fetch(url, { method: "POST", headers, body: JSON.stringify(initialize(version)) });
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
  return {
    post: (message: object, signal?: AbortSignal) =>
      fetch(url, {
        method: "POST",
        headers: { ...headers, ...session },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
        ...(signal && { signal }),
      }),
    get: (lastEventId?: string) => {
      const last: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      return fetch(url, { headers: { accept: "text/event-stream", ...session, ...last } });
    },
  };
}

/** Reads events until one matches. */
async function readUntil(
  { body }: Response,
  fits: (event: RecordedEvent) => boolean,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event = { id: /^id: (.*)$/m.exec(text)?.[1] ?? "", data: /^data: (.*)$/m.exec(text)?.[1] ?? "" };
      const isComment = text.startsWith(":");
      text = text.slice(end + 2);
      if (isComment) continue;
      events.push(event);
      if (fits(event)) return events;
    }
  }
  return events;
}

const call = {
  id: 7,
  method: "tools/call",
  params: { name: "slow__wait", arguments: {}, _meta: { progressToken: "t" } },
};

describe("streams of the MCP gateway", () => {
  it("are continued after Last-Event-ID, with the events that the client has missed", async () => {
    const slow = await startSlowServer();
    const session = await beginSession(await proxyFor({ slow: { url: slow.url } }));
    const leaving = new AbortController();
    const events = await readUntil(await session.post(call, leaving.signal), ({ data }) => data !== "");
    const first = events.at(-1);
    expect(events[0]?.data).toBe("");
    expect(JSON.parse(first?.data ?? "")).toMatchObject({ params: { progress: 1, progressToken: "t" } });
    leaving.abort();
    slow.release();
    const rest = await readUntil(await session.get(first?.id), ({ data }) => data.includes('"id":7'));
    expect(rest.map(({ data }) => JSON.parse(data))).toMatchObject([
      { method: "notifications/progress", params: { progress: 2 } },
      { id: 7, result: { content: [{ type: "text", text: "waited" }] } },
    ]);
    // The events are retained for a while, and an ended stream that is resumed ends again.
    const again = await session.get(rest[0]?.id);
    expect((await again.text()).match(/^id: /gm)?.length).toBe(1);
  });

  it("begin with an id after two seconds without a response, or at once if the client listens", async () => {
    const slow = await startSlowServer();
    const session = await beginSession(await proxyFor({ slow: { url: slow.url } }));
    const quiet = { ...call, params: { name: "slow__wait", arguments: {} } };
    const leaving = new AbortController();
    const listened = await readUntil(await session.get(), () => true);
    expect(listened).toEqual([{ id: expect.stringMatching(/^[\w-]+\.1$/), data: "" }]);
    await (await session.post({ id: 1, method: "tools/list" })).text();
    slow.hold();
    const response = await session.post(quiet, leaving.signal);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const [first] = await readUntil(response, () => true);
    leaving.abort();
    slow.release();
    const rest = await readUntil(await session.get(first?.id), ({ data }) => data.includes('"id":7'));
    expect(JSON.parse(rest.at(-1)?.data ?? "")).toMatchObject({ id: 7, result: {} });
  });

  it("have no first event without data for clients of earlier revisions", async () => {
    const slow = await startSlowServer();
    const session = await beginSession(await proxyFor({ slow: { url: slow.url } }), "2025-06-18");
    const events = await readUntil(await session.post(call), () => true);
    expect(events[0]?.data).toContain('"progress":1');
    slow.release();
  });

  it("are continued by the official client after its connections were cut", async () => {
    const slow = await startSlowServer();
    const proxy = await proxyFor({ slow: { url: slow.url } });
    const relay = await startRelay(proxy.url);
    closers.push(relay.close);
    const { client } = await connectClient(`${relay.url}/mcp`);
    closers.push(() => client.close());
    const steps: number[] = [];
    const called = client.callTool({ name: "slow__wait" }, undefined, {
      onprogress: ({ progress }) => {
        steps.push(progress);
        if (progress === 1) {
          relay.cut();
          slow.release();
        }
      },
    });
    expect((await called).content).toEqual([{ type: "text", text: "waited" }]);
    expect(steps).toEqual([1, 2]);
  });

  it("end when the client has disconnected and opens another stream", () => {
    const records = new StreamRecords(new EventMemory());
    const ends: string[] = [];
    const sink = { write: () => {}, end: () => {} };
    const lost = records.begin(() => ends.push("lost"));
    const open = records.begin(() => ends.push("open"));
    // The response to a request is retained, because the client may return for it.
    const response = records.begin();
    for (const record of [lost, open, response]) record.attach(sink);
    lost.detach(sink);
    response.detach(sink);
    records.dropLost();
    expect(ends).toEqual(["lost"]);
    expect(records.find(`${lost.name}.1`)).toBeUndefined();
    expect(records.find(`${response.name}.1`)?.record).toBe(response);
    // The proxy may detect the disconnect of the client only after the client has opened another stream.
    open.detach(sink);
    expect(ends).toEqual(["lost", "open"]);
    records.dropAll();
  });

  it("are recorded up to a limit, above which the oldest events are dropped", () => {
    const records = new StreamRecords(new EventMemory(10));
    const record = records.begin();
    for (const data of ["aaaa", "bbbb", "cccc"]) record.add(data);
    const seen: string[] = [];
    const ends: boolean[] = [];
    const sink = {
      write: ({ data }: RecordedEvent) => void seen.push(data),
      end: () => void ends.push(true),
    };
    const found = records.find(`${record.name}.1`);
    found?.record.attach(sink, found.after);
    record.add("dd");
    record.end();
    expect([seen, ends]).toEqual([["bbbb", "cccc", "dd"], [true]]);
    expect(records.find("unknown.1")).toBeUndefined();
    expect(records.find("")).toBeUndefined();
    records.dropAll();
    expect(records.find(`${record.name}.1`)).toBeUndefined();
  });
});

describe("a server of the MCP gateway that is restarted or changed", () => {
  it("sends its stream to the client again, and its lists are reported as changed", async () => {
    let name = "before";
    const create = () => {
      const mcp = new McpServer({ name: "changing", version: "1.0.0" });
      mcp.registerTool(name, { inputSchema: {} }, async () => ({ content: [] }));
      mcp.registerTool("grow", { inputSchema: {} }, async () => {
        mcp.registerTool("grown", { inputSchema: {} }, async () => ({ content: [] }));
        return { content: [] };
      });
      return mcp;
    };
    const first = await startMcpServer(create);
    const proxy = await proxyFor({ changing: { url: first.url } });
    const { client } = await connectClient(`${proxy.url}/mcp`);
    closers.push(() => client.close());
    const changes: unknown[] = [];
    client.setNotificationHandler(
      ToolListChangedNotificationSchema,
      ({ method }) => void changes.push(method),
    );
    const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
    expect(await names()).toEqual(["changing__before", "changing__grow"]);
    await eventually(async () => first.seen.some(({ method }) => method === "GET") || undefined);
    await first.close();
    name = "after";
    const second = await startMcpServer(create, Number(new URL(first.url).port));
    closers.push(second.close);
    await eventually(async () => changes.length > 0 || undefined);
    expect(await names()).toEqual(["changing__after", "changing__grow"]);
    const before = changes.length;
    // The first request is for a session that the restarted server does not have.
    const listened = () => second.seen.filter(({ method }) => method === "GET").length;
    await eventually(async () => listened() > 1 || undefined);
    await client.callTool({ name: "changing__grow" });
    await eventually(async () => changes.length > before || undefined);
  });

  it("is reported to the client when a reload changes the servers", async () => {
    const slow = await startSlowServer();
    const proxy = await proxyFor({ one: { url: slow.url } });
    const { client } = await connectClient(`${proxy.url}/mcp`);
    closers.push(() => client.close());
    const changed = createSignal();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve(undefined));
    await client.listTools();
    await eventually(async () => {
      proxy.reload({ mcp: { one: { url: slow.url }, two: { url: slow.url, prefix: `p${Math.random()}` } } });
      return Promise.race([
        changed.promise.then(() => true as const),
        new Promise<undefined>((done) => setTimeout(() => done(undefined), 50)),
      ]);
    });
    expect((await client.listTools()).tools.length).toBe(2);
  });
});

describe("requests of servers to the client", () => {
  it("can be cancelled by the server, under the id that the client has received", async () => {
    const asked = createSignal<AbortSignal>();
    const server = await startMcpServer(() => {
      const mcp = new McpServer({ name: "asking", version: "1.0.0" });
      mcp.registerTool("ask", { inputSchema: {} }, async () => {
        const giveUp = new AbortController();
        const sampled = mcp.server.createMessage({ messages: [], maxTokens: 5 }, { signal: giveUp.signal });
        await asked.promise;
        giveUp.abort("no longer needed");
        await sampled.catch(() => {});
        return { content: [{ type: "text", text: "gave up" }] };
      });
      return mcp;
    });
    closers.push(server.close);
    const proxy = await proxyFor({ asking: { url: server.url } });
    const { client } = await connectClient(`${proxy.url}/mcp`, { capabilities: { sampling: {} } });
    closers.push(() => client.close());
    client.setRequestHandler(CreateMessageRequestSchema, async (_request, { signal }) => {
      asked.resolve(signal);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw new Error("cancelled");
    });
    expect((await client.callTool({ name: "asking__ask" })).content).toEqual([
      { type: "text", text: "gave up" },
    ]);
    const signal = await asked.promise;
    await eventually(async () => signal.aborted || undefined);
  });
});
