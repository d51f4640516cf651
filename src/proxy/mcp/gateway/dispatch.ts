import type { IncomingHttpHeaders } from "node:http";
import { asObject } from "../../exchange/json.ts";
import type { GatewayServer } from "./access.ts";
import type { Emit } from "./client-stream.ts";
import {
  createResult,
  RPC_ERRORS,
  RpcFailure,
  type RpcParams,
  type RpcRequest,
  type RpcResponse,
} from "./json-rpc.ts";
import type { McpSession, RoutedRequest } from "./mcp-session.ts";
import { findByPrefix, isListMethod, LISTS, type ListMethod } from "./names.ts";
import { getMeta, META, REVISIONS, STATELESS } from "./revisions.ts";
import {
  BY_TASK,
  findTask,
  mergeTaskCapabilities,
  TASKS_EXTENSION,
  type TaskOwners,
  unknownTask,
} from "./tasks.ts";
import { settledWithin } from "./wait.ts";

/** A client's request with its context. */
export interface Dispatched {
  readonly request: RpcRequest;
  readonly session: McpSession;
  readonly servers: readonly GatewayServer[];
  readonly emit: Emit;
  /** Called when a server with sessions over HTTP begins an event stream. */
  readonly onStream: () => void;
  readonly signal: AbortSignal;
  readonly traceparent: string | undefined;
  /** The client's HTTP headers, if they mirror arguments; undefined in a session. */
  readonly clientHeaders: IncomingHttpHeaders | undefined;
  readonly pageSize: number;
  /** Milliseconds that `initialize` and `server/discover` wait for the servers. */
  readonly waitMs: number;
  readonly version: string;
  /** The identity of the client's key; empty without a key. */
  readonly key: string;
  readonly owners: TaskOwners;
  /** Redacts secrets in error messages of servers. */
  readonly redact: (text: string) => string;
}

/** The server to which a request is forwarded, and the params with the server's own names. */
export interface Routed {
  readonly server: GatewayServer;
  readonly params: RpcParams;
}

const BY_NAME = new Set(["tools/call", "prompts/get"]);
const BY_URI = new Set(["resources/read", "resources/subscribe", "resources/unsubscribe"]);
/** Methods that revision 2026-07-28 has removed. */
const WITH_SESSION = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "tasks/result",
]);

/**
 * Returns the server to which a request is forwarded; undefined if the gateway serves the request for all servers.
 * Throws `RpcFailure` if no server matches, or if the revision does not have the method.
 */
export function route(request: RpcRequest, servers: readonly GatewayServer[]): Routed | undefined {
  const { method, params = {} } = request;
  if (getMeta(params)[META.version] === STATELESS && WITH_SESSION.has(method)) throw unknownMethod(method);
  if (BY_TASK.has(method)) {
    const { server, rest } = findTask(servers, params["taskId"]);
    return { server, params: { ...params, taskId: rest } };
  }
  if (BY_NAME.has(method)) {
    const what = method === "tools/call" ? "tool" : "prompt";
    const { server, rest } = findByName(servers, params["name"], what);
    return { server, params: { ...params, name: rest } };
  }
  if (BY_URI.has(method)) {
    const { server, rest } = findByUri(servers, params["uri"]);
    return { server, params: { ...params, uri: rest } };
  }
  if (method !== "completion/complete") return undefined;
  const ref = asObject(params["ref"]);
  if (ref["type"] === "ref/prompt") {
    const { server, rest } = findByName(servers, ref["name"], "prompt");
    return { server, params: { ...params, ref: { ...ref, name: rest } } };
  }
  const { server, rest } = findByUri(servers, ref["uri"]);
  return { server, params: { ...params, ref: { ...ref, uri: rest } } };
}

function findByName(servers: readonly GatewayServer[], name: unknown, what: string) {
  const found = typeof name === "string" ? findByPrefix(servers, name, "name") : undefined;
  if (found === undefined || !found.server.allows(found.rest))
    throw new RpcFailure(RPC_ERRORS.invalidParams, `Unknown ${what}: ${String(name)}`);
  return found;
}

function findByUri(servers: readonly GatewayServer[], uri: unknown) {
  const whole = servers.filter(({ isWhole }) => isWhole);
  const found = typeof uri === "string" ? findByPrefix(whole, uri, "uri") : undefined;
  if (found === undefined)
    throw new RpcFailure(RPC_ERRORS.resourceNotFound, `Resource not found: ${String(uri)}`, 200, { uri });
  return found;
}

/** Forwards a request to its server, or serves it for all servers. Rejects with `RpcFailure` or `AppError`. */
export async function dispatch(call: Dispatched, routed: Routed | undefined): Promise<RpcResponse> {
  const { request, session } = call;
  const { id, method } = request;
  const isStateless = session.client.version === STATELESS;
  if (routed !== undefined) {
    const response = await serveRouted(call, routed);
    return { ...(isStateless ? toStateless(method, response) : response), id };
  }
  const result = await serveOwn(call);
  return createResult(id, isStateless ? complete(method, result, call.version) : result);
}

async function serveRouted(call: Dispatched, { server, params }: Routed): Promise<RpcResponse> {
  const { request, session, emit, onStream, signal, traceparent, clientHeaders, key, owners } = call;
  const { method } = request;
  if (BY_TASK.has(method) && !owners.allows(server.name, String(params["taskId"]), key))
    throw unknownTask(request.params?.["taskId"]);
  const onResult = (result: RpcParams | undefined) => owners.note(server.name, result, key);
  const forwarded: RoutedRequest = {
    server,
    method,
    params,
    emit,
    onStream,
    signal,
    traceparent,
    clientHeaders,
    onResult,
  };
  if (method === "resources/subscribe" || method === "resources/unsubscribe")
    return session.subscribe(forwarded, String(params["uri"]), method === "resources/subscribe");
  return session.request(forwarded);
}

async function serveOwn(call: Dispatched): Promise<RpcParams> {
  const { request, session, servers, pageSize } = call;
  const { method, params } = request;
  if (isListMethod(method)) {
    const { items, missing } = await session.list(servers, method);
    const reasons = missing.map(({ server, reason }) => ({ server, reason: call.redact(reason) }));
    return toPage(method, params, { items, missing: reasons }, pageSize);
  }
  switch (method) {
    case "initialize": {
      const { capabilities, instructions } = await describe(call);
      const { version: protocolVersion } = session.client;
      return { protocolVersion, capabilities, serverInfo: serverInfo(call.version), ...instructions };
    }
    case "server/discover": {
      const { capabilities, instructions } = await describe(call);
      return {
        supportedVersions: REVISIONS,
        capabilities,
        serverInfo: serverInfo(call.version),
        ...instructions,
      };
    }
    case "ping":
      return {};
    case "logging/setLevel":
      await session.setLogLevel(params?.["level"]);
      return {};
    default:
      throw unknownMethod(method);
  }
}

function unknownMethod(method: string): RpcFailure {
  return new RpcFailure(RPC_ERRORS.methodNotFound, `Method not found: ${method}`, 404);
}

function serverInfo(version: string): RpcParams {
  return { name: "sallyport", title: "Sallyport", version: version === "" ? "0" : version };
}

/**
 * Returns the capabilities and instructions of all servers. A server that has failed or not responded in time counts as
 * having all capabilities except tasks and extensions.
 */
async function describe({ session, servers, waitMs }: Dispatched) {
  const links = await Promise.all(servers.map((server) => settledWithin(session.link(server), waitMs)));
  const found = links.map((each) => (each?.isDone ? each.value.facts : undefined));
  const has = (name: string) =>
    found.some((facts) => facts === undefined || facts.capabilities[name] !== undefined);
  const isSession = session.client.version !== STATELESS;
  const known = found.flatMap((facts) => (facts === undefined ? [] : [facts.capabilities]));
  const tasks = mergeTaskCapabilities(known);
  const extensions = mergeExtensions(known, isSession);
  const capabilities: RpcParams = {
    ...(has("tools") && { tools: { listChanged: true } }),
    ...(has("prompts") && { prompts: { listChanged: true } }),
    ...(has("resources") && { resources: { listChanged: true, subscribe: true } }),
    ...(has("completions") && { completions: {} }),
    ...(has("logging") && isSession && { logging: {} }),
    ...(tasks !== undefined && isSession && { tasks }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
  const texts = servers.flatMap(({ name }, index) => {
    const text = found[index]?.instructions;
    return text === undefined ? [] : [`${name}: ${text}`];
  });
  return { capabilities, instructions: texts.length === 0 ? {} : { instructions: texts.join("\n\n") } };
}

/** Returns the extensions of all servers, each with the settings of the first server that has it. */
function mergeExtensions(capabilities: readonly RpcParams[], isSession: boolean): RpcParams {
  const all = capabilities.map((each) => asObject(each["extensions"])).toReversed();
  const { [TASKS_EXTENSION]: tasks, ...others }: RpcParams = Object.assign({}, ...all);
  // In sessions, tasks are a capability.
  return tasks === undefined || isSession ? others : { ...others, [TASKS_EXTENSION]: tasks };
}

/** Returns one page of a list. A cursor contains the number of items before its page. */
function toPage(
  method: ListMethod,
  params: RpcParams | undefined,
  { items, missing }: Awaited<ReturnType<McpSession["list"]>>,
  pageSize: number,
): RpcParams {
  const cursor = params?.["cursor"];
  const from = cursor === undefined ? 0 : parseCursor(cursor);
  const next = from + pageSize;
  return {
    [LISTS[method].member]: items.slice(from, next),
    ...(next < items.length && { nextCursor: Buffer.from(`from ${next}`).toString("base64url") }),
    ...(missing.length > 0 && { _meta: { "sallyport/missing": missing } }),
  };
}

function parseCursor(cursor: unknown): number {
  const text = typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString("utf8") : "";
  const digits = /^from (\d{1,9})$/.exec(text)?.[1];
  if (digits === undefined) throw new RpcFailure(RPC_ERRORS.invalidParams, "Invalid cursor");
  return Number(digits);
}

/** Methods whose results clients may cache. */
const CACHEABLE = new Set<string>([...Object.keys(LISTS), "resources/read", "server/discover"]);

/**
 * Adds the members that revision 2026-07-28 requires. Cacheable results are private, because they depend on the
 * client's key.
 */
function complete(method: string, result: RpcParams, version?: string): RpcParams {
  const own = version === undefined ? {} : { [META.serverInfo]: serverInfo(version) };
  const _meta = { ...own, ...asObject(result["_meta"]) };
  return {
    resultType: "complete",
    ...(CACHEABLE.has(method) && { ttlMs: 0 }),
    ...result,
    ...(CACHEABLE.has(method) && { cacheScope: "private" }),
    ...(Object.keys(_meta).length > 0 && { _meta }),
  };
}

/** Converts a server's response to revision 2026-07-28. */
function toStateless(method: string, response: RpcResponse): RpcResponse {
  const { result, error } = response;
  if (result !== undefined) return { ...response, result: { ...complete(method, result) } };
  if (error?.code !== RPC_ERRORS.resourceNotFound) return response;
  return { ...response, error: { ...error, code: RPC_ERRORS.invalidParams } };
}
