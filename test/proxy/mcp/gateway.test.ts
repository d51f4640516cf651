import { createServer } from "node:http";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CreateMessageRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  SetLevelRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  closeHere,
  connectClient,
  eventually,
  listenHere,
  startMcpServer,
  type TestMcpServer,
} from "../../support/mcp-servers.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Creates a server with tools, a prompt, a resource and a resource template. */
function library(): McpServer {
  const mcp = new McpServer(
    { name: "library", version: "1.0.0" },
    { capabilities: { logging: {}, resources: { subscribe: true } }, instructions: "Ask for books." },
  );
  mcp.registerTool("find", { inputSchema: { title: z.string() } }, async ({ title }, extra) => {
    const progressToken = extra._meta?.progressToken;
    if (progressToken !== undefined)
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 2, message: "half" },
      });
    await extra.sendNotification({
      method: "notifications/message",
      params: { level: "info", data: "looking" },
    });
    return {
      content: [
        { type: "text", text: `found ${title}` },
        { type: "resource_link", uri: "book://1", name: "book" },
      ],
      structuredContent: { title },
    };
  });
  mcp.registerTool("summarize", { inputSchema: {} }, async () => {
    const { content } = await mcp.server.createMessage({
      messages: [{ role: "user", content: { type: "text", text: "Summarize." } }],
      maxTokens: 10,
    });
    return { content: [{ type: "text", text: `model said ${JSON.stringify(content)}` }] };
  });
  mcp.registerPrompt(
    "review",
    { argsSchema: { book: completable(z.string(), (value) => [`${value}-one`, `${value}-two`]) } },
    ({ book }) => ({
      messages: [
        { role: "user", content: { type: "resource", resource: { uri: "book://1", text: `About ${book}` } } },
      ],
    }),
  );
  mcp.registerResource("first", "book://1", {}, async (uri) => ({
    contents: [{ uri: uri.href, text: "Once" }],
  }));
  mcp.registerResource("any", new ResourceTemplate("book://{id}", { list: undefined }), {}, async (uri) => ({
    contents: [{ uri: uri.href, text: `Book ${uri.href}` }],
  }));
  mcp.server.registerCapabilities({ resources: { subscribe: true } });
  return mcp;
}

function counter(): McpServer {
  const mcp = new McpServer({ name: "counter", version: "1.0.0" });
  mcp.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  mcp.registerTool("find", { inputSchema: {} }, async () => ({
    content: [{ type: "text", text: "a number" }],
  }));
  return mcp;
}

async function start(create: () => McpServer): Promise<TestMcpServer> {
  const server = await startMcpServer(create);
  closers.push(server.close);
  return server;
}

async function proxyFor(mcp: object, settings: object = {}): Promise<TestProxy> {
  const proxy = await startTestProxy({ mcp, ...settings });
  closers.push(proxy.close);
  return proxy;
}

async function connect(proxy: TestProxy, options: Parameters<typeof connectClient>[1] = {}) {
  const connected = await connectClient(`${proxy.url}/mcp`, options);
  closers.push(() => connected.client.close());
  return connected.client;
}

/** Sends one message without the SDK. */
async function post(proxy: TestProxy, message: object | string, headers: Record<string, string> = {}) {
  const response = await fetch(`${proxy.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    headers: response.headers,
    body: data === "" ? undefined : JSON.parse(data),
    text,
  };
}

describe("the MCP gateway", () => {
  it("serves the tools, prompts and resources of several servers to one client, with prefixed names", async () => {
    const [books, numbers] = [await start(library), await start(counter)];
    const proxy = await proxyFor({ books: { url: books.url }, "my.numbers": { url: numbers.url } });
    const client = await connect(proxy);
    expect(client.getInstructions()).toBe("books: Ask for books.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "books__find",
      "books__summarize",
      "my_numbers__add",
      "my_numbers__find",
    ]);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["books__review"]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["books+book://1"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["books+book://{id}"]);
    const sum = await client.callTool({ name: "my_numbers__add", arguments: { a: 1, b: 2 } });
    expect(sum.content).toEqual([{ type: "text", text: "3" }]);
    const { contents } = await client.readResource({ uri: "books+book://7" });
    expect(contents).toEqual([{ uri: "books+book://7", text: "Book book://7" }]);
    const { messages } = await client.getPrompt({ name: "books__review", arguments: { book: "Dune" } });
    expect(messages[0]?.content).toMatchObject({ resource: { uri: "books+book://1", text: "About Dune" } });
    const ref = { type: "ref/prompt" as const, name: "books__review" };
    const { completion } = await client.complete({ ref, argument: { name: "book", value: "x" } });
    expect(completion.values).toEqual(["x-one", "x-two"]);
    await expect(client.callTool({ name: "books__add" })).resolves.toMatchObject({ isError: true });
    await expect(client.callTool({ name: "nobody__add" })).rejects.toThrow("Unknown tool: nobody__add");
    await expect(client.readResource({ uri: "other+book://7" })).rejects.toThrow("Resource not found");
  });

  it("forwards progress, logs, links to resources and the server's requests to the client", async () => {
    const books = await start(library);
    const proxy = await proxyFor({ books: { url: books.url } });
    const client = await connect(proxy, { capabilities: { sampling: {} } });
    const logs: unknown[] = [];
    client.setNotificationHandler(
      LoggingMessageNotificationSchema,
      ({ params }) => void logs.push(params.data),
    );
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => ({
      model: "m",
      role: "assistant",
      content: { type: "text", text: `${params.messages.length} message` },
    }));
    const progress: unknown[] = [];
    const result = await client.callTool({ name: "books__find", arguments: { title: "Dune" } }, undefined, {
      onprogress: (each) => void progress.push(each.message),
    });
    expect(result).toMatchObject({
      content: [{ text: "found Dune" }, { type: "resource_link", uri: "books+book://1" }],
      structuredContent: { title: "Dune" },
    });
    expect([progress, logs]).toEqual([["half"], ["looking"]]);
    const summary = await client.callTool({ name: "books__summarize" });
    expect(JSON.stringify(summary.content)).toContain("1 message");
  });

  it("reports changed lists and resources on the client's stream", async () => {
    let server: McpServer | undefined;
    const books = await start(() => {
      server = library();
      return server;
    });
    const proxy = await proxyFor({ books: { url: books.url } });
    const client = await connect(proxy);
    const seen: string[] = [];
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void seen.push("tools"));
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void seen.push(params.uri),
    );
    await client.listTools();
    // Waits until the proxy has opened its stream at the server.
    await until(() => books.seen.some(({ method }) => method === "GET"));
    await eventually(async () => {
      await server?.server.sendResourceUpdated({ uri: "book://1" });
      return seen.includes("books+book://1") || undefined;
    });
    server?.registerTool("late", { inputSchema: {} }, async () => ({ content: [] }));
    await until(() => seen.includes("tools"));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("books__late");
  });

  it("lists the other servers in time if one is slow and one is dead, and later the slow server", async () => {
    const [books, numbers] = [await start(library), await start(counter)];
    let release = () => {};
    books.hold = new Promise((resolve) => {
      release = resolve;
    });
    const proxy = await proxyFor(
      { books: { url: books.url }, dead: { url: "http://127.0.0.1:1/mcp" }, numbers: { url: numbers.url } },
      { mcp_gateway: { list_timeout: 0.2 } },
    );
    const client = await connect(proxy);
    let isChanged = false;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      isChanged = true;
    });
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(["numbers__add", "numbers__find"]);
    expect(listed._meta?.["sallyport/missing"]).toEqual([
      { server: "books", reason: "it has not responded in time" },
      { server: "dead", reason: expect.stringContaining("could not be reached") },
    ]);
    const sum = await client.callTool({ name: "numbers__add", arguments: { a: 2, b: 2 } });
    expect(sum.content).toEqual([{ type: "text", text: "4" }]);
    await expect(client.callTool({ name: "dead__x" })).rejects.toThrow("could not be reached");
    books.hold = undefined;
    release();
    await until(() => isChanged);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("books__find");
  });

  it("sets the log level without waiting for servers that do not respond, and later at those", async () => {
    const levels: string[] = [];
    const withLevels = (name: string) => () => {
      const mcp = new McpServer({ name, version: "1.0.0" }, { capabilities: { logging: {} } });
      mcp.server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
        levels.push(`${name} ${params.level}`);
        return {};
      });
      return mcp;
    };
    const [quick, slow] = [await start(withLevels("quick")), await start(withLevels("slow"))];
    let release = () => {};
    slow.hold = new Promise((resolve) => {
      release = resolve;
    });
    const proxy = await proxyFor(
      { quick: { url: quick.url }, slow: { url: slow.url } },
      { mcp_gateway: { list_timeout: 0.2 } },
    );
    const client = await connect(proxy, { capabilities: { roots: { listChanged: true } } });
    await client.setLoggingLevel("warning", { timeout: 3_000 });
    expect(levels).toEqual(["quick warning"]);
    await client.sendRootsListChanged();
    slow.hold = undefined;
    release();
    await until(() => levels.includes("slow warning"));
  });

  it("shows a key only the servers and tools that it may use", async () => {
    const [books, numbers] = [await start(library), await start(counter)];
    const some = "sk-some-tools-0123456789";
    const one = "sk-one-server-0123456789";
    const names = { SOME: some, ONE: one };
    const proxy = await startTestProxy(
      {
        mcp: { books: { url: books.url }, numbers: { url: numbers.url } },
        auth_mode: "strict",
        api_keys: [
          { name: "some", key_env: "SOME", mcp: ["numbers/a*", "books/review"] },
          { name: "one", key_env: "ONE", mcp: ["num*"] },
        ],
      },
      names,
    );
    closers.push(proxy.close);
    const client = await connect(proxy, { key: some });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["numbers__add"]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["books__review"]);
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.callTool({ name: "numbers__find" })).rejects.toThrow("Unknown tool");
    await expect(client.readResource({ uri: "books+book://1" })).rejects.toThrow("not found");
    const whole = await connect(proxy, { key: one });
    expect((await whole.listTools()).tools.map(({ name }) => name)).toEqual([
      "numbers__add",
      "numbers__find",
    ]);
    await expect(whole.callTool({ name: "books__find", arguments: { title: "x" } })).rejects.toThrow(
      "Unknown",
    );
    const relayed = async (name: string, key: string) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const response = await fetch(`${proxy.url}/mcp/${name}/mcp`, { method: "POST", headers, body: "{}" });
      await response.text();
      return response.status;
    };
    expect([await relayed("books", one), await relayed("numbers", some)]).toEqual([403, 403]);
    expect(await relayed("numbers", one)).not.toBe(403);
  });

  it("returns lists in pages, and reads every page of a server", async () => {
    const names = Array.from({ length: 25 }, (_, index) => `tool${index}`);
    const http = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { id, method, params } = text === "" ? {} : JSON.parse(text);
      const from = Number(params?.cursor ?? 0);
      const tools = names.slice(from, from + 10).map((name) => ({ name, inputSchema: { type: "object" } }));
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "paged", version: "1" },
        },
        "tools/list": { tools, ...(from + 10 < names.length && { nextCursor: String(from + 10) }) },
      };
      const result = results[method];
      if (result === undefined) response.writeHead(id === undefined ? 202 : 405).end();
      else {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }
    });
    const url = await listenHere(http);
    closers.push(() => closeHere(http));
    const proxy = await proxyFor({ paged: { url, prefix: "" } }, { mcp_gateway: { page_size: 20 } });
    const client = await connect(proxy);
    const first = await client.listTools();
    const second = await client.listTools({ cursor: first.nextCursor });
    expect([first.tools.length, second.tools.length, second.nextCursor]).toEqual([20, 5, undefined]);
    expect([...first.tools, ...second.tools].map(({ name }) => name)).toEqual(names);
    await expect(client.listTools({ cursor: "elsewhere" })).rejects.toThrow("cursor");
  });

  it("continues a session after a restart of the server and of the proxy, until the client ends it", async () => {
    const numbers = await start(counter);
    const settings = { numbers: { url: numbers.url } };
    const proxy = await proxyFor(settings);
    const { client, transport } = await connectClient(`${proxy.url}/mcp`);
    closers.push(() => client.close());
    await client.listTools();
    numbers.forget();
    expect((await client.listTools()).tools.length).toBe(2);
    const session = transport.sessionId ?? "";
    const other = await proxyFor(settings);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const continued = await post(other, list, { "mcp-session-id": session });
    expect(continued.body.result.tools.length).toBe(2);
    await transport.terminateSession();
    const ended = await post(proxy, list, { "mcp-session-id": session });
    expect([ended.status, ended.body.error.message]).toEqual([404, "Session not found"]);
    expect((await post(proxy, list, { "mcp-session-id": "invented" })).status).toBe(404);
  });

  it("cancels a call at the server", async () => {
    let cancelled = false;
    const slow = await start(() => {
      const mcp = new McpServer({ name: "slow", version: "1.0.0" });
      mcp.registerTool("wait", { inputSchema: {} }, async (_args, { signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        cancelled = true;
        return { content: [] };
      });
      return mcp;
    });
    const proxy = await proxyFor({ slow: { url: slow.url } });
    const client = await connect(proxy);
    const controller = new AbortController();
    const call = client.callTool({ name: "slow__wait" }, undefined, { signal: controller.signal });
    call.catch(() => {});
    await until(() => proxy.server.activity("").live.length === 1 && slow.seen.length >= 3);
    controller.abort();
    await expect(call).rejects.toThrow();
    await until(() => cancelled);
    await until(() => proxy.records.some(({ mcpMethod }) => mcpMethod === "tools/call"));
    expect(proxy.records.find(({ mcpMethod }) => mcpMethod === "tools/call")).toMatchObject({
      status: 499,
      errorCode: "client_gone",
      errorMessage: "The client canceled the request",
    });
  });

  it("records calls with their server, method and tool, as the relay does", async () => {
    const numbers = await start(counter);
    const proxy = await proxyFor({ numbers: { url: numbers.url } });
    const client = await connect(proxy);
    await client.listTools();
    await client.callTool({ name: "numbers__add", arguments: { a: 1, b: 1 } });
    await client.callTool({ name: "numbers__nothing" });
    await expect(client.callTool({ name: "other__add" })).rejects.toThrow();
    const calls = proxy.records.map(({ route, upstream, mcpMethod, mcpTool, status, errorCode }) => [
      route,
      upstream,
      mcpMethod,
      mcpTool,
      status,
      errorCode,
    ]);
    expect(calls).toEqual([
      ["/mcp", undefined, "initialize", undefined, 200, undefined],
      ["/mcp", undefined, "tools/list", undefined, 200, undefined],
      ["/mcp", "numbers", "tools/call", "numbers__add", 200, undefined],
      ["/mcp", "numbers", "tools/call", "numbers__nothing", 200, undefined],
      ["/mcp", undefined, "tools/call", "other__add", 200, "validation"],
    ]);
    const metrics = await (await fetch(`${proxy.url}/metrics`)).text();
    expect(metrics).toMatch(/sallyport_mcp_request_duration_seconds_count\{[^}]*numbers[^}]*\} 2/);
  });

  it("rejects bodies that are not a JSON-RPC message, unknown methods and other HTTP methods", async () => {
    const numbers = await start(counter);
    const proxy = await proxyFor({ numbers: { url: numbers.url } });
    const codes: unknown[] = [];
    for (const body of [
      "{",
      "[]",
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":"x"}',
    ]) {
      const { status, body: received } = await post(proxy, body);
      codes.push([status, received.error.code]);
    }
    expect(codes).toEqual([
      [400, -32700],
      [400, -32600],
      [400, -32600],
      [200, -32601],
    ]);
    expect((await fetch(`${proxy.url}/mcp`, { method: "PUT" })).status).toBe(405);
    expect((await fetch(`${proxy.url}/mcp`)).status).toBe(405);
    const none = await proxyFor({});
    expect((await post(none, { jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(404);
    expect(proxy.internal).toEqual([]);
  });
});

/** Returns a request of revision 2026-07-28. */
function stateless(method: string, params: Record<string, unknown> = {}, meta: Record<string, unknown> = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    ...meta,
  };
  const name = params["name"] ?? params["uri"];
  return {
    message: { jsonrpc: "2.0", id: 7, method, params: { ...params, _meta } },
    headers: {
      "mcp-protocol-version": String(_meta["io.modelcontextprotocol/protocolVersion"]),
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
  };
}

describe("the MCP gateway in revision 2026-07-28", () => {
  it("serves requests without a session, even to servers that require a session", async () => {
    const [books, numbers] = [await start(library), await start(counter)];
    const proxy = await proxyFor({ books: { url: books.url }, numbers: { url: numbers.url } });
    const ask = async (...given: Parameters<typeof stateless>) => {
      const { message, headers } = stateless(...given);
      return post(proxy, message, headers);
    };
    const discovered = await ask("server/discover");
    expect(discovered.headers.get("mcp-session-id")).toBeNull();
    expect(discovered.body).toMatchObject({
      id: 7,
      result: {
        resultType: "complete",
        supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
        cacheScope: "private",
      },
    });
    const { result } = (await ask("tools/list")).body;
    expect(result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
    expect(result.tools.length).toBe(4);
    const called = await ask("tools/call", { name: "numbers__add", arguments: { a: 3, b: 4 } });
    expect(called.body).toMatchObject({
      id: 7,
      result: { resultType: "complete", content: [{ type: "text", text: "7" }] },
    });
    // Logs are sent only if the request contains a log level.
    const quiet = await ask("tools/call", { name: "books__find", arguments: { title: "x" } });
    expect(quiet.text).not.toContain("looking");
    const loud = { "io.modelcontextprotocol/logLevel": "info" };
    const logged = await ask("tools/call", { name: "books__find", arguments: { title: "x" } }, loud);
    expect(logged.text).toContain("looking");
    const missing = await ask("resources/read", { uri: "nobody+x://1" });
    expect(missing.body.error.code).toBe(-32602);
  });

  it("rejects headers that differ from the body, unknown revisions and removed methods", async () => {
    const numbers = await start(counter);
    const proxy = await proxyFor({ numbers: { url: numbers.url } });
    const { message, headers } = stateless("tools/call", { name: "numbers__add", arguments: {} });
    const cases: [object, Record<string, string>, number, number][] = [
      [message, { ...headers, "mcp-method": "tools/list" }, 400, -32020],
      [message, { ...headers, "mcp-name": "numbers__find" }, 400, -32020],
      [message, { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" }, 400, -32020],
      [message, { ...headers, "mcp-protocol-version": "2025-11-25" }, 400, -32020],
      [{ ...message, params: { name: "x" } }, headers, 400, -32602],
    ];
    const seen: unknown[] = [];
    for (const [body, given] of cases) {
      const { status, body: received } = await post(proxy, body, given);
      seen.push([status, received.error.code]);
    }
    expect(seen).toEqual(cases.map(([, , status, code]) => [status, code]));
    const encoded = { ...headers, "mcp-name": "=?base64?bnVtYmVyc19fYWRk?=" };
    expect((await post(proxy, message, encoded)).status).toBe(200);
    const future = stateless("tools/list", {}, { "io.modelcontextprotocol/protocolVersion": "2099-01-01" });
    expect((await post(proxy, future.message, future.headers)).body.error).toMatchObject({
      code: -32022,
      data: { requested: "2099-01-01", supported: expect.arrayContaining(["2026-07-28", "2025-11-25"]) },
    });
    for (const method of ["ping", "logging/setLevel", "invented"]) {
      const removed = stateless(method);
      const { status, body } = await post(proxy, removed.message, removed.headers);
      expect([method, status, body.error.code]).toEqual([method, 404, -32601]);
    }
  });

  it("forwards a client's requests from a session to a server without sessions, which can request input", async () => {
    const seen: unknown[] = [];
    const http = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { id, method, params } = text === "" ? ({} as Record<string, never>) : JSON.parse(text);
      const {
        "mcp-protocol-version": version,
        "mcp-name": name,
        "mcp-param-region": region,
      } = request.headers;
      const send = (members: object, status = 200) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...members }));
      };
      const complete = (members: object) => send({ result: { resultType: "complete", ...members } });
      if (request.method !== "POST") response.writeHead(405).end();
      else if (version !== "2026-07-28") send({ error: { code: -32022, message: "Unsupported" } }, 400);
      else if (method === "server/discover")
        complete({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
      else if (method === "tools/list") {
        const schema = {
          type: "object",
          properties: { region: { type: "string", "x-mcp-header": "Region" } },
        };
        complete({ tools: [{ name: "query", inputSchema: schema }] });
      } else if (method !== "tools/call") send({ error: { code: -32601, message: "Unknown" } }, 404);
      else {
        seen.push([name, region, params._meta["io.modelcontextprotocol/clientCapabilities"]]);
        const asked = { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } };
        if (params.inputResponses === undefined)
          send({
            result: { resultType: "input_required", requestState: "s1", inputRequests: { one: asked } },
          });
        else {
          const given = JSON.stringify([params.inputResponses.one.model, params.requestState]);
          complete({ content: [{ type: "text", text: given }] });
        }
      }
    });
    const url = await listenHere(http);
    closers.push(() => closeHere(http));
    const proxy = await proxyFor({ modern: { url } });
    const client = await connect(proxy, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, async () => ({
      model: "m1",
      role: "assistant",
      content: { type: "text", text: "yes" },
    }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["modern__query"]);
    const { content } = await client.callTool({ name: "modern__query", arguments: { region: "us-west1" } });
    expect(content).toEqual([{ type: "text", text: '["m1","s1"]' }]);
    expect(seen).toEqual([
      ["query", "us-west1", { sampling: {} }],
      ["query", "us-west1", { sampling: {} }],
    ]);
  });
});
