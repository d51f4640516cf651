// An MCP server with the tools, resources and prompts that the scenarios of the MCP conformance suite call by name, in
// revisions 2026-07-28 and 2025-11-25. test-conformance.mjs starts it, in the folder into which it installs the SDK:
//   node mcp-server.mjs PORT
import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const installed = createRequire(join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const { NodeStreamableHTTPServerTransport, toNodeHandler } = await load("@modelcontextprotocol/node");
const {
  acceptedContent,
  classifyInboundRequest,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
} = await load("@modelcontextprotocol/server");
const z = await load("zod");

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const text = (value) => ({ type: "text", text: value });
const image = { type: "image", data: PIXEL, mimeType: "image/png" };
const embedded = (uri, value) => ({
  type: "resource",
  resource: { uri, mimeType: "text/plain", text: value },
});
const toResult = (...content) => ({ content });
const none = z.object({});
const state = createRequestStateCodec({ key: randomBytes(32) });

/** Returns the schema of a form with one required field. */
const form = (name, type) => ({ type: "object", properties: { [name]: { type } }, required: [name] });
const askFor = (message, name, type = "string") =>
  inputRequired.elicit({ message, requestedSchema: form(name, type) });
const askModel = (message) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(message) }], maxTokens: 50 });

/** Tools whose result never changes. */
const CONSTANT = {
  test_simple_text: toResult(text("A plain text.")),
  test_image_content: toResult(image),
  test_audio_content: toResult({ type: "audio", data: SOUND, mimeType: "audio/wav" }),
  test_embedded_resource: toResult(embedded("test://embedded-resource", "An embedded resource.")),
  test_multiple_content_types: toResult(
    text("Several kinds:"),
    image,
    embedded("test://mixed", "A resource."),
  ),
  test_streaming_elicitation: toResult(text("Only the result.")),
};

const choices = (prefix) => [1, 2, 3].map((number) => `${prefix}${number}`);
const titled = choices("value").map((value) => ({ const: value, title: `Title of ${value}` }));
/** Forms whose properties the scenarios inspect. */
const FORMS = {
  test_elicitation_sep1034_defaults: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: "string", enum: choices("option") },
    titledSingle: { type: "string", oneOf: titled },
    legacyEnum: { type: "string", enum: choices("opt"), enumNames: choices("Option ") },
    untitledMulti: { type: "array", items: { type: "string", enum: choices("option") } },
    titledMulti: { type: "array", items: { anyOf: titled } },
  },
};

/** Tools that request input from the client: their requests, and the result that they compute from the responses. */
const ASKING = {
  test_input_required_result_elicitation: {
    ask: () => ({ user_name: askFor("What is your name?", "name") }),
    done: (given) => acceptedContent(given, "user_name")?.name,
  },
  test_input_required_result_sampling: {
    ask: () => ({ capital_question: askModel("What is the capital of France?") }),
    done: (given) => given?.capital_question && JSON.stringify(given.capital_question.content),
  },
  test_input_required_result_list_roots: {
    ask: () => ({ client_roots: inputRequired.listRoots() }),
    done: (given) => given?.client_roots?.roots && JSON.stringify(given.client_roots.roots),
  },
  test_missing_capability: {
    ask: () => ({ one: askModel("Reply with one word.") }),
    done: (given) => given?.one && "sampled",
  },
  test_input_required_result_request_state: {
    ask: () => ({ confirm: askFor("Please confirm", "ok", "boolean") }),
    done: (given, known) => acceptedContent(given, "confirm") && known !== undefined && "state-ok",
    keeps: true,
  },
  test_input_required_result_tampered_state: {
    ask: () => ({ confirm: askFor("Please confirm", "ok", "boolean") }),
    done: (given, known) => acceptedContent(given, "confirm") && known !== undefined && "integrity-ok",
    keeps: true,
  },
  test_input_required_result_multiple_inputs: {
    ask: () => ({
      user_name: askFor("What is your name?", "name"),
      greeting: askModel("Write a greeting."),
      client_roots: inputRequired.listRoots(),
    }),
    done: (given) =>
      acceptedContent(given, "user_name") && given?.greeting && given?.client_roots && "all received",
    keeps: true,
  },
  test_input_required_result_multi_round: {
    ask: (known) =>
      known?.round === 1
        ? { step2: askFor("Step 2: your favorite color?", "color") }
        : { step1: askFor("Step 1: your name?", "name") },
    done: (given, known) => known?.round === 2 && acceptedContent(given, "step2")?.color,
    keeps: true,
  },
  test_input_required_result_capabilities: {
    ask(_known, { elicitation, sampling, roots }) {
      return {
        ...(elicitation && { user_name: askFor("What is your name?", "name") }),
        ...(sampling && { greeting: askModel("Write a greeting.") }),
        ...(roots && { client_roots: inputRequired.listRoots() }),
      };
    },
    done: (given) => given !== undefined && "all received",
  },
};

const SCHEMA_2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};
const MIRRORED = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } },
};

const sessions = new Map();

function createFixture() {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
  };
  const mcp = new McpServer(
    { name: "conformance-fixture", version: "1.0.0" },
    { capabilities, requestState: { verify: state.verify } },
  );
  const tool = (name, handler, inputSchema = none) =>
    mcp.registerTool(name, { description: `Serves the scenario of ${name}`, inputSchema }, handler);

  for (const [name, result] of Object.entries(CONSTANT)) tool(name, () => result);
  tool(
    "json_schema_2020_12_tool",
    (args) => toResult(text(JSON.stringify(args))),
    fromJsonSchema(SCHEMA_2020),
  );
  tool("test_x_mcp_header", ({ region }) => toResult(text(`region ${region}`)), fromJsonSchema(MIRRORED));
  tool("test_error_handling", () => {
    throw new Error("This error is intended");
  });
  tool("test_logging_tool", async (_args, { mcpReq }) => {
    await mcpReq.log("info", "logged");
    return toResult(text("logged"));
  });
  tool("test_tool_with_logging", async (_args, { mcpReq }) => {
    for (const data of ["started", "processing", "completed"]) {
      await mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
      await delay(50);
    }
    return toResult(text("logged"));
  });
  tool("test_tool_with_progress", async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
      await mcpReq.notify({ method: "notifications/progress", params });
      await delay(50);
    }
    return toResult(text(String(progressToken)));
  });
  tool("test_reconnection", async (_args, { sessionId, mcpReq }) => {
    sessions.get(sessionId)?.closeSSEStream(mcpReq.id);
    await delay(100);
    return toResult(text("The client has returned."));
  });

  // Only in a session can a server send requests to the client.
  const send = async (mcpReq, method, params) => {
    const result = await mcpReq.send({ method, params });
    return toResult(text(JSON.stringify(result)));
  };
  tool(
    "test_sampling",
    ({ prompt }, { mcpReq }) => {
      const messages = [{ role: "user", content: text(prompt) }];
      return send(mcpReq, "sampling/createMessage", { messages, maxTokens: 100 });
    },
    z.object({ prompt: z.string() }),
  );
  tool(
    "test_elicitation",
    ({ message }, { mcpReq }) =>
      send(mcpReq, "elicitation/create", { message, requestedSchema: form("response", "string") }),
    z.object({ message: z.string() }),
  );
  for (const [name, properties] of Object.entries(FORMS))
    tool(name, (_args, { mcpReq }) => {
      const requestedSchema = { type: "object", properties, required: [] };
      return send(mcpReq, "elicitation/create", { message: "Fill in the form", requestedSchema });
    });

  for (const [name, { ask, done, keeps }] of Object.entries(ASKING))
    tool(name, async (_args, { mcpReq }) => {
      const known = mcpReq.requestState?.();
      const result = done(mcpReq.inputResponses, known);
      if (result) return toResult(text(String(result)));
      const declared = mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
      const inputRequests = ask(known, declared);
      if (Object.keys(inputRequests).length === 0) return toResult(text("The client accepts no requests."));
      if (!keeps) return inputRequired({ inputRequests });
      const round = (known?.round ?? 0) + 1;
      const requestState = await state.mint({ tool: name, round, nonce: randomUUID() });
      return inputRequired({ inputRequests, requestState });
    });
  tool("test_trigger_tool_change", () => {
    stateless.notify.toolsChanged();
    return toResult(text("published"));
  });
  tool("test_trigger_prompt_change", () => {
    stateless.notify.promptsChanged();
    return toResult(text("published"));
  });

  const resource = (name, uri, contents) =>
    mcp.registerResource(name, uri, { title: name }, (url, variables) => ({
      contents: [{ uri: url.href, ...contents(variables) }],
    }));
  const plain = (value) => () => ({ mimeType: "text/plain", text: value });
  resource("static-text", "test://static-text", plain("A static text."));
  resource("static-binary", "test://static-binary", () => ({ mimeType: "image/png", blob: PIXEL }));
  resource("watched-resource", "test://watched-resource", plain("A watched text."));
  resource("template", new ResourceTemplate("test://template/{id}/data", { list: undefined }), ({ id }) => ({
    mimeType: "application/json",
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }));

  const user = (content) => ({ role: "user", content });
  const prompt = (name, handler, argsSchema) =>
    mcp.registerPrompt(name, { description: `Serves the scenario of ${name}`, argsSchema }, handler);
  prompt("test_simple_prompt", () => ({ messages: [user(text("A simple prompt."))] }));
  prompt(
    "test_prompt_with_arguments",
    ({ arg1, arg2 }) => ({ messages: [user(text(`arg1='${arg1}', arg2='${arg2}'`))] }),
    z.object({ arg1: z.string(), arg2: z.string() }),
  );
  prompt(
    "test_prompt_with_embedded_resource",
    ({ resourceUri }) => ({ messages: [user(embedded(resourceUri, "Embedded.")), user(text("Read it."))] }),
    z.object({ resourceUri: z.string() }),
  );
  prompt("test_prompt_with_image", () => ({ messages: [user(image), user(text("Look at it."))] }));
  prompt("test_input_required_result_prompt", ({ mcpReq }) => {
    const context = acceptedContent(mcpReq.inputResponses, "user_context")?.context;
    return typeof context === "string"
      ? { messages: [user(text(`Use this context: ${context}`))] }
      : inputRequired({ inputRequests: { user_context: askFor("Which context?", "context") } });
  });

  for (const method of ["resources/subscribe", "resources/unsubscribe", "logging/setLevel"])
    mcp.server.setRequestHandler(method, () => ({}));
  mcp.server.setRequestHandler("completion/complete", () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return mcp;
}

/** Creates a store of the events of one session, so that a client can resume a stream. */
function createEventStore() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      const eventId = `${streamId}/${events.length}`;
      events.push({ eventId, streamId, message });
      return eventId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const streamId = lastEventId.slice(0, lastEventId.lastIndexOf("/"));
      const from = Number(lastEventId.slice(streamId.length + 1)) + 1;
      for (const event of events.slice(from))
        if (event.streamId === streamId && Object.keys(event.message).length > 0)
          await send(event.eventId, event.message);
      return streamId;
    },
  };
}

const stateless = createMcpHandler(() => createFixture());
const serveStateless = toNodeHandler(stateless);

async function serveSession(request, response, body) {
  const id = request.headers["mcp-session-id"];
  const known = id === undefined ? undefined : sessions.get(id);
  if (known === undefined && (id !== undefined || body?.method !== "initialize")) {
    response.writeHead(id === undefined ? 400 : 404).end();
    return;
  }
  const transport =
    known ??
    new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: createEventStore(),
      retryInterval: 500,
      onsessioninitialized: (created) => sessions.set(created, transport),
    });
  if (known === undefined) await createFixture().connect(transport);
  await transport.handleRequest(request, response, body);
}

const server = createServer(async (request, response) => {
  // The suite checks that other hosts are rejected (DNS rebinding).
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(request.headers.host ?? "")) {
    response.writeHead(403).end();
    return;
  }
  let raw = "";
  for await (const chunk of request) raw += chunk;
  let body;
  try {
    body = raw === "" ? undefined : JSON.parse(raw);
  } catch {
    response.writeHead(400).end();
    return;
  }
  const { "mcp-protocol-version": protocolVersionHeader, "mcp-method": mcpMethodHeader } = request.headers;
  const inbound =
    request.method === "POST" &&
    classifyInboundRequest({ httpMethod: "POST", protocolVersionHeader, mcpMethodHeader, body });
  if (inbound && inbound.kind !== "legacy") await serveStateless(request, response, body);
  else await serveSession(request, response, body);
});
server.listen(Number(process.argv[2]), "127.0.0.1");
