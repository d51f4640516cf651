import { randomUUID } from "node:crypto";
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from "node:http";
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Socket,
} from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolResultSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

/** An MCP server of the official SDK over HTTP. */
export interface TestMcpServer {
  readonly url: string;
  readonly seen: { readonly method: string; readonly headers: IncomingHttpHeaders }[];
  /** Ends every session, as a restart does. */
  forget(): void;
  /** Waits before each response. */
  hold: Promise<void> | undefined;
  close(): Promise<void>;
}

/** Starts a server with sessions, one `McpServer` for each. */
export async function startMcpServer(create: () => McpServer, port = 0): Promise<TestMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const seen: TestMcpServer["seen"] = [];
  const state: { hold: Promise<void> | undefined } = { hold: undefined };
  const http = createServer(async (request, response) => {
    seen.push({ method: request.method ?? "", headers: request.headers });
    await state.hold;
    const id = request.headers["mcp-session-id"]?.toString();
    const known = id === undefined ? undefined : sessions.get(id);
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (created) => void sessions.set(created, transport),
      });
    if (known === undefined) await create().connect(transport as Parameters<McpServer["connect"]>[0]);
    await transport.handleRequest(request, response);
  });
  const url = await listenHere(http, port);
  return {
    url: `${url}/mcp`,
    seen,
    forget: () => sessions.clear(),
    get hold() {
      return state.hold;
    },
    set hold(until) {
      state.hold = until;
    },
    close: () => closeHere(http),
  };
}

export async function listenHere(server: HttpServer, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function closeHere(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/**
 * Returns a server whose tool `order` runs as a task, asks the client whether to continue, and completes with the
 * client's response.
 */
export function createTaskServer(): McpServer {
  const taskStore = new InMemoryTaskStore();
  const mcp = new McpServer(
    { name: "tasks", version: "1.0.0" },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  mcp.experimental.tasks.registerToolTask(
    "order",
    { inputSchema: { item: z.string(), asks: z.boolean() }, execution: { taskSupport: "required" } },
    {
      async createTask({ item, asks }, extra) {
        const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 20 });
        const related = { relatedTask: { taskId: task.taskId } };
        const work = async () => {
          if (item === "never") return;
          if (asks) await extra.taskStore.updateTaskStatus(task.taskId, "input_required");
          const elicited = asks
            ? await mcp.server.request(
                {
                  method: "elicitation/create",
                  params: { message: `Order ${item}?`, requestedSchema: { type: "object", properties: {} } },
                },
                ElicitResultSchema,
                related,
              )
            : { action: "not asked" };
          const content = [
            { type: "text" as const, text: `${item}: ${elicited.action}` },
            { type: "resource_link" as const, uri: "order://1", name: "order" },
          ];
          await extra.taskStore.storeTaskResult(task.taskId, "completed", { content });
        };
        void work();
        return { task };
      },
      getTask: async (_args, { taskId, taskStore: tasks }) => tasks.getTask(taskId),
      getTaskResult: async (_args, { taskId, taskStore: tasks }) =>
        CallToolResultSchema.parse(await tasks.getTaskResult(taskId)),
    },
  );
  return mcp;
}

/** Connects the official client to an endpoint. */
export async function connectClient(
  url: string,
  { key, capabilities = {} }: { readonly key?: string; readonly capabilities?: Record<string, object> } = {},
): Promise<{ readonly client: Client; readonly transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities });
  const headers = key === undefined ? undefined : { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return { client, transport };
}

/** Forwards connections to a server, and breaks them when the test requests it. */
export interface TestRelay {
  readonly url: string;
  /** Cuts all connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function startRelay(target: string): Promise<TestRelay> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createTcpServer((client) => {
    const upstream = connectTcp(Number(port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => {});
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

/** Returns a promise and the function that resolves it. */
export function createSignal<Value = void>(): {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
} {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Repeats a probe until it returns a value; fails the test by its time limit otherwise. */
export async function eventually<Value>(probe: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
