import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema, TaskStatusNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import {
  closeHere,
  connectClient,
  createTaskServer,
  listenHere,
  startMcpServer,
} from "../../support/mcp-servers.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const sha256Of = (key: string) => createHash("sha256").update(key).digest("hex");

async function proxyFor(mcp: object, settings: object = {}): Promise<TestProxy> {
  const proxy = await startTestProxy({ mcp, ...settings });
  closers.push(proxy.close);
  return proxy;
}

async function connect(proxy: TestProxy, key?: string): Promise<Client> {
  const options = { capabilities: { elicitation: {} }, ...(key && { key }) };
  const { client } = await connectClient(`${proxy.url}/mcp`, options);
  closers.push(() => client.close());
  return client;
}

async function startTasks(): Promise<string> {
  const server = await startMcpServer(createTaskServer);
  closers.push(server.close);
  return server.url;
}

/** Runs the tool as a task. Returns the ids of the task and its outcome. */
async function order(client: Client, name: string, args: { item: string; asks: boolean }) {
  const ids = new Set<string>();
  for await (const message of client.experimental.tasks.callToolStream({ name, arguments: args }, undefined, {
    task: { ttl: 60_000 },
  })) {
    if (message.type === "taskCreated" || message.type === "taskStatus") ids.add(message.task.taskId);
    if (message.type === "result") return { ids: [...ids], content: message.result.content };
    if (message.type === "error") throw message.error;
  }
  throw new Error("no result");
}

describe("tasks through the MCP gateway", () => {
  it("are created, polled and completed at their server, which can send requests to the client meanwhile", async () => {
    const proxy = await proxyFor({ shop: { url: await startTasks() }, other: { url: await startTasks() } });
    const client = await connect(proxy);
    const related: unknown[] = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      related.push(params._meta?.["io.modelcontextprotocol/related-task"]?.taskId);
      return { action: "accept", content: {} };
    });
    expect(client.getServerCapabilities()?.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
    await client.listTools();
    const { ids, content } = await order(client, "shop__order", { item: "tea", asks: true });
    expect(ids).toEqual([expect.stringMatching(/^shop\+./)]);
    expect(related).toEqual(ids);
    expect(content).toEqual([
      { type: "text", text: "tea: accept" },
      { type: "resource_link", uri: "shop+order://1", name: "order" },
    ]);
    expect(await client.experimental.tasks.getTask(ids[0] ?? "")).toMatchObject({
      taskId: ids[0],
      status: "completed",
    });
  });

  it("can be cancelled, and are not found at another server, without a prefix, or with another key", async () => {
    const keys = ["one", "two"].map((name) => `sk-${name}-0123456789abcdef`);
    const api_keys = keys.map((key, index) => ({ name: `key${index}`, sha256: sha256Of(key) }));
    const url = await startTasks();
    const proxy = await proxyFor({ shop: { url }, other: { url } }, { auth_mode: "strict", api_keys });
    const [client, stranger] = [await connect(proxy, keys[0]), await connect(proxy, keys[1])];
    await client.listTools();
    const params = { name: "shop__order", arguments: { item: "never", asks: false } };
    let taskId = "";
    for await (const message of client.experimental.tasks.callToolStream(params, undefined, { task: {} })) {
      if (message.type !== "taskCreated") continue;
      taskId = message.task.taskId;
      break;
    }
    const { tasks } = client.experimental;
    await expect(tasks.getTask(taskId.replace("shop", "other"))).rejects.toThrow("not found");
    await expect(tasks.getTask(taskId.replace("shop+", ""))).rejects.toThrow("Task not found");
    await expect(stranger.experimental.tasks.getTask(taskId)).rejects.toThrow(`Task not found: ${taskId}`);
    expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: "cancelled" });
    // Servers that share a sign-in would list the tasks of all clients.
    await expect(client.request({ method: "tasks/list" }, TaskStatusNotificationSchema)).rejects.toThrow(
      "not found",
    );
  });

  it("of revision 2026-07-28 are polled, updated and followed by the extension's methods", async () => {
    const seen: unknown[] = [];
    const task = {
      status: "working",
      createdAt: "2026-01-01T00:00:00Z",
      lastUpdatedAt: "2026-01-01T00:00:00Z",
      ttlMs: null,
    };
    const done = {
      ...task,
      taskId: "t1",
      status: "completed",
      result: { content: [{ type: "resource_link", uri: "a://1", name: "a" }] },
    };
    const http = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { id, method, params } = text === "" ? ({} as Record<string, never>) : JSON.parse(text);
      const extensions = params?._meta?.["io.modelcontextprotocol/clientCapabilities"]?.extensions;
      if (method !== "server/discover") seen.push([method, request.headers["mcp-name"], extensions]);
      if (method === "subscriptions/listen") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const send = (name: string, members: object) =>
          response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method: name, params: members })}\n\n`);
        send("notifications/subscriptions/acknowledged", { notifications: params.notifications });
        send("notifications/tasks", done);
        return;
      }
      const results: Record<string, object> = {
        "server/discover": {
          supportedVersions: ["2026-07-28"],
          capabilities: {
            tools: {},
            extensions: { "io.modelcontextprotocol/tasks": {}, "a.example/b": { c: 1 } },
          },
        },
        "tools/call": { resultType: "task", taskId: "t1", ...task },
        "tasks/get": done,
        "tasks/update": {},
        "tasks/cancel": {},
      };
      response.writeHead(request.method === "POST" ? 200 : 405, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...results[method] } }),
      );
    });
    const url = await listenHere(http);
    closers.push(() => closeHere(http));
    const proxy = await proxyFor({ shop: { url } });
    const knows = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const send = (method: string, params: Record<string, unknown>, capabilities: object = knows) =>
      fetch(`${proxy.url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...(typeof params["taskId"] === "string" && { "mcp-name": params["taskId"] }),
          ...(typeof params["name"] === "string" && { "mcp-name": params["name"] }),
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientCapabilities": capabilities,
            },
          },
        }),
      });
    const ask = async (...given: Parameters<typeof send>) => JSON.parse(await (await send(...given)).text());
    expect((await ask("server/discover", {})).result.capabilities.extensions).toEqual({
      "io.modelcontextprotocol/tasks": {},
      "a.example/b": { c: 1 },
    });
    const created = await ask("tools/call", { name: "shop__order", arguments: {} });
    expect(created.result).toMatchObject({ resultType: "task", taskId: "shop+t1", status: "working" });
    expect((await ask("tasks/get", { taskId: "shop+t1" })).result).toMatchObject({
      resultType: "complete",
      taskId: "shop+t1",
      result: { content: [{ uri: "shop+a://1" }] },
    });
    expect((await ask("tasks/update", { taskId: "shop+t1", inputResponses: {} })).result).toEqual({
      resultType: "complete",
    });
    expect((await ask("tasks/cancel", { taskId: "shop+t1" })).result).toEqual({ resultType: "complete" });
    expect(seen.slice(-4)).toEqual([
      ["tools/call", "order", knows.extensions],
      ["tasks/get", "t1", knows.extensions],
      ["tasks/update", "t1", knows.extensions],
      ["tasks/cancel", "t1", knows.extensions],
    ]);
    const missing = await send("tasks/result", { taskId: "shop+t1" });
    expect([missing.status, JSON.parse(await missing.text()).error.code]).toEqual([404, -32601]);
    const filter = { notifications: { taskIds: ["shop+t1", "shop+t2"] } };
    const refused = await send("subscriptions/listen", filter, {});
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: -32021 } }]);
    const stream = await send("subscriptions/listen", filter);
    let text = "";
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('notifications/tasks"')) break;
    }
    const [acknowledged, notified] = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
      JSON.parse(data),
    );
    expect(acknowledged.params.notifications).toEqual({ taskIds: ["shop+t1", "shop+t2"] });
    expect(notified).toMatchObject({
      method: "notifications/tasks",
      params: { taskId: "shop+t1", result: { content: [{ uri: "shop+a://1" }] } },
    });
  });
});
