import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  connectClient,
  createSignal,
  createTaskServer,
  eventually,
  startMcpServer,
  startRelay,
  type TestMcpServer,
} from "../support/mcp-servers.ts";
import { type OauthServer, startOauthServer } from "../support/oauth-server.ts";
import { quietPort } from "../support/quiet-port.ts";
import { COMMAND } from "../support/spawned-command.ts";
import { until } from "../support/start-proxy.ts";

/** `/mcp` of the built command, as clients of the official SDK use it: a program, servers over HTTP, one behind OAuth. */

const PROGRAM = resolve(import.meta.dirname, "../fixtures/mcp/program-server.mjs");
const KEYS = { admin: "sk-admin-0123456789abcdef", alice: "sk-alice-0123456789abcdef" };
const sha256Of = (key: string) => createHash("sha256").update(key).digest("hex");
const home = mkdtempSync(join(tmpdir(), "mcp-gateway-"));
const config = join(home, "config.json");
const environment = {
  PATH: process.env["PATH"],
  HOME: home,
  SERVICE_HOME: join(home, "data"),
  SERVICE_BROWSER: "none",
};

const working = { release: createSignal(), cancelled: createSignal() };
let books: TestMcpServer;
let shop: TestMcpServer;
let guarded: OauthServer;
let proxy: { readonly url: string; readonly child: ChildProcess };
const clients: Client[] = [];

/** A server that asks the client, reports progress, changes its tools and waits. */
function createBooks(): McpServer {
  const mcp = new McpServer({ name: "books", version: "1.0.0" }, { capabilities: { logging: {} } });
  const text = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });
  mcp.registerTool("find", { inputSchema: { title: z.string() } }, async ({ title }, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [1, 2, 3])
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken: progressToken ?? "", progress, total: 3 },
      });
    await extra.sendNotification({
      method: "notifications/message",
      params: { level: "info", data: "found" },
    });
    return text(title);
  });
  mcp.registerTool("ask", { inputSchema: {} }, async (_args, extra) => {
    const sampled = await mcp.server.createMessage(
      { messages: [{ role: "user", content: { type: "text", text: "Which?" } }], maxTokens: 5 },
      { relatedRequestId: extra.requestId },
    );
    const elicited = await mcp.server.elicitInput(
      { message: "Sure?", requestedSchema: { type: "object", properties: { sure: { type: "boolean" } } } },
      { relatedRequestId: extra.requestId },
    );
    const { roots } = await mcp.server.listRoots(undefined, { relatedRequestId: extra.requestId });
    return text([sampled.model, elicited.content, roots[0]?.uri]);
  });
  mcp.registerTool("grow", { inputSchema: {} }, async () => {
    mcp.registerTool("grown", { inputSchema: {} }, async () => text("grown"));
    return text("growing");
  });
  mcp.registerTool("work", { inputSchema: {} }, async (_args, extra) => {
    extra.signal.addEventListener("abort", () => working.cancelled.resolve());
    await extra.sendNotification({
      method: "notifications/progress",
      params: { progressToken: extra._meta?.progressToken ?? "", progress: 1 },
    });
    await Promise.race([working.release.promise, working.cancelled.promise]);
    return text("worked");
  });
  return mcp;
}

function isThere(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  books = await startMcpServer(createBooks);
  shop = await startMcpServer(createTaskServer);
  guarded = await startOauthServer();
  const mcp = {
    notes: { command: process.execPath, args: [PROGRAM] },
    books: { url: books.url },
    shop: { url: shop.url },
    vault: { url: guarded.url, oauth: true },
  };
  const keys = [
    { name: "admin", sha256: sha256Of(KEYS.admin) },
    { name: "alice", sha256: sha256Of(KEYS.alice), mcp: ["notes/p*", "books/find"] },
  ];
  const settings = { mcp, auth_mode: "strict", api_keys: keys, mcp_gateway: { list_timeout: 30 } };
  writeFileSync(config, JSON.stringify({ proxy: settings }));
  const ready = join(home, "ready.json");
  const port = String(await quietPort());
  const args = [COMMAND, "proxy", "start", "--config", config, "--port", port, "--ready-file", ready];
  const child = spawn(process.execPath, args, { env: environment, stdio: "ignore" });
  await until(() => child.exitCode !== null || isThere(ready));
  proxy = { child, url: JSON.parse(readFileSync(ready, "utf8")).url };
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  const ended = once(proxy.child, "exit");
  proxy.child.kill();
  await ended;
  await Promise.all([books.close(), shop.close(), guarded.close()]);
  rmSync(home, { recursive: true, force: true });
});

async function connect(key: keyof typeof KEYS = "admin", url = proxy.url): Promise<Client> {
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const { client } = await connectClient(`${url}/mcp`, { key: KEYS[key], capabilities });
  clients.push(client);
  return client;
}

async function names(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** Runs `sallyport proxy mcp login NAME`, and visits the address that it prints. */
async function logIn(name: string): Promise<string> {
  const args = [COMMAND, "proxy", "mcp", "login", name, "--no-open", "--config", config];
  const child = spawn(process.execPath, args, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr, visited] = ["", "", false];
  child.stdout.on("data", (bytes: Buffer) => {
    stdout += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes.toString();
    const address = /Sign in to \w+: (\S+)\n/.exec(stderr)?.[1];
    if (address === undefined || visited) return;
    visited = true;
    void fetch(address);
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`login ended with ${code}: ${stderr}`);
  return stdout.trim();
}

describe("sallyport proxy start with several MCP servers", () => {
  it("serves their tools by prefix, and to each key those that it may use", async () => {
    const [admin, alice] = [await connect(), await connect("alice")];
    const program = ["notes__pid", "notes__crash", "notes__steps"];
    const own = ["books__find", "books__ask", "books__grow", "books__work"];
    expect(await names(admin)).toEqual([...program, ...own, "shop__order"]);
    expect(await names(alice)).toEqual(["notes__pid", "books__find"]);
    const found = await alice.callTool({ name: "books__find", arguments: { title: "One" } });
    expect(found.content).toEqual([{ type: "text", text: '"One"' }]);
    await expect(alice.callTool({ name: "books__grow" })).rejects.toThrow("Unknown tool: books__grow");
    await expect(alice.callTool({ name: "shop__order" })).rejects.toThrow("Unknown tool: shop__order");
    const url = `${proxy.url}/mcp`;
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
  });

  it("signs in to a server by OAuth, and refreshes its tokens", async () => {
    const client = await connect();
    const before = await client.listTools();
    expect(JSON.stringify(before._meta)).toContain("sallyport proxy mcp login vault");
    expect(await logIn("vault")).toBe("Signed in to vault.");
    expect(await names(client)).toContain("vault__guarded");
    guarded.revokeAccess();
    expect(await names(client)).toContain("vault__guarded");
    expect(guarded.tokenRequests.map((each) => each.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
  });

  it("passes on progress, logs, and what a server asks the client", async () => {
    const client = await connect();
    const logs: unknown[] = [];
    client.setNotificationHandler(
      LoggingMessageNotificationSchema,
      ({ params }) => void logs.push(params.data),
    );
    client.setRequestHandler(CreateMessageRequestSchema, async () => ({
      model: "m1",
      role: "assistant",
      content: { type: "text", text: "this one" },
    }));
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: "accept",
      content: { sure: true },
    }));
    client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: "file:///work" }] }));
    const steps: number[] = [];
    await client.callTool({ name: "books__find", arguments: { title: "x" } }, undefined, {
      onprogress: ({ progress }) => void steps.push(progress),
    });
    expect([steps, logs]).toEqual([[1, 2, 3], ["found"]]);
    const asked = await client.callTool({ name: "books__ask" });
    expect(asked.content).toEqual([{ type: "text", text: '["m1",{"sure":true},"file:///work"]' }]);
  });

  it("continues a call whose connection is cut, and cancels one at its server", async () => {
    const relay = await startRelay(proxy.url);
    const client = await connect("admin", relay.url);
    const called = client.callTool({ name: "books__work" }, undefined, {
      onprogress() {
        relay.cut();
        working.release.resolve();
      },
    });
    expect((await called).content).toEqual([{ type: "text", text: '"worked"' }]);
    working.release = createSignal();
    const leaving = new AbortController();
    const second = client.callTool({ name: "books__work" }, undefined, {
      signal: leaving.signal,
      onprogress: () => leaving.abort("no longer needed"),
    });
    await expect(second).rejects.toThrow("no longer needed");
    await working.cancelled.promise;
    await relay.close();
  });

  it("runs tasks, which the server may ask about", async () => {
    const client = await connect();
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "decline" }));
    await client.listTools();
    const params = { name: "shop__order", arguments: { item: "tea", asks: true } };
    const seen: unknown[] = [];
    for await (const message of client.experimental.tasks.callToolStream(params)) {
      if (message.type === "taskCreated") seen.push(message.task.taskId.replace(/\+.*/, "+…"));
      if (message.type === "result") seen.push(message.result.content);
      if (message.type === "error") throw message.error;
    }
    const link = { type: "resource_link", uri: "shop+order://1", name: "order" };
    expect(seen).toEqual(["shop+…", [{ type: "text", text: "tea: decline" }, link]]);
  });

  it("reports changed tools, a program that has crashed, and a server that was down", async () => {
    const client = await connect();
    const changes: unknown[] = [];
    client.setNotificationHandler(
      ToolListChangedNotificationSchema,
      ({ method }) => void changes.push(method),
    );
    const changed = async (before: number) => eventually(async () => changes.length > before || undefined);
    await client.listTools();
    await eventually(async () => books.seen.some(({ method }) => method === "GET") || undefined);
    await client.callTool({ name: "books__grow" });
    await changed(0);
    expect(await names(client)).toContain("books__grown");
    const pid = async () => JSON.stringify((await client.callTool({ name: "notes__pid" })).content);
    const first = await pid();
    let before = changes.length;
    await expect(client.callTool({ name: "notes__crash" })).rejects.toThrow("ended with exit code 3");
    await changed(before);
    expect(await pid()).not.toBe(first);
    const port = Number(new URL(books.url).port);
    await books.close();
    await expect(client.callTool({ name: "books__find", arguments: { title: "x" } })).rejects.toThrow(
      /books/,
    );
    expect(await names(client)).toContain("notes__pid");
    before = changes.length;
    books = await startMcpServer(createBooks, port);
    await changed(before);
    expect(await names(client)).toContain("books__find");
    expect(await names(client)).not.toContain("books__grown");
  });
});
