import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  type EventStore,
  StreamableHTTPServerTransport,
} from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  type JSONRPCMessage,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import * as fixtures from "./mcp-fixtures.ts";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Starts a server of the official SDK with everything that its conformance suite needs; resolves to its URL. */
export async function startMcpServer(): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const allowedHosts: string[] = [];
  const http = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    const transport = known ?? openSession(sessions, allowedHosts);
    if (!known) await protocolServer().connect(transport as Parameters<Server["connect"]>[0]);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  const address = http.address();
  const port = typeof address === "object" && address ? address.port : 0;
  allowedHosts.push(`127.0.0.1:${port}`, `localhost:${port}`);
  return `http://127.0.0.1:${port}/mcp`;
}

function openSession(sessions: Map<string, StreamableHTTPServerTransport>, allowedHosts: string[]) {
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    enableDnsRebindingProtection: true,
    allowedHosts,
    eventStore: memoryOfEvents(),
    retryInterval: 300,
  });
  return transport;
}

function memoryOfEvents(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(stream, message) {
      const id = `${stream}::${events.length}`;
      events.push({ id, stream, message });
      return id;
    },
    async replayEventsAfter(last, { send }) {
      const from = events.findIndex(({ id }) => id === last);
      const stream = events[from]?.stream ?? "";
      for (const event of events.slice(from + 1))
        if (event.stream === stream) await send(event.id, event.message);
      return stream;
    },
  };
}

function protocolServer(): Server {
  const server = new Server(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: {},
        prompts: {},
        resources: { subscribe: true },
        logging: {},
        completions: {},
      },
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: fixtures.tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => callTool(params, extra));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: fixtures.resources }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: fixtures.templates,
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => fixtures.readResource(params.uri));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: fixtures.prompts }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    fixtures.prompt(params.name, params.arguments),
  );
  server.setRequestHandler(CompleteRequestSchema, () => ({
    completion: { values: ["paris", "park"], total: 2, hasMore: false },
  }));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  return server;
}

interface Call {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
  readonly _meta?: { progressToken?: string | number | undefined } | undefined;
}

async function callTool({ name, arguments: input = {}, _meta: meta }: Call, extra: Extra) {
  const text = (content: string) => ({ content: [{ type: "text" as const, text: content }] });
  const ready = fixtures.results[name];
  if (ready) return ready;
  if (name === "test_tool_with_logging") {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
      await delay(50);
    }
    return text("Logged.");
  }
  if (name === "test_tool_with_progress") {
    const progressToken = meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await extra.sendNotification({ method: "notifications/progress", params });
      }
      await delay(50);
    }
    return text(String(progressToken));
  }
  if (name === "test_reconnection") {
    // Ends the response's stream early. The client requests the rest with Last-Event-ID.
    extra.closeSSEStream?.();
    await delay(100);
    return text("Reconnected.");
  }
  if (name === "test_sampling") {
    const content = { type: "text" as const, text: String(input["prompt"]) };
    const params = { messages: [{ role: "user" as const, content }], maxTokens: 100 };
    const result = await extra.sendRequest(
      { method: "sampling/createMessage", params },
      CreateMessageResultSchema,
    );
    return text(`LLM response: ${JSON.stringify(result.content)}`);
  }
  const schema = fixtures.elicitations[name];
  if (!schema) throw new Error(`Unknown tool ${name}`);
  const params = { message: String(input["message"] ?? "Please fill in."), requestedSchema: schema };
  const { action, content } = await extra.sendRequest(
    { method: "elicitation/create", params },
    ElicitResultSchema,
  );
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}
