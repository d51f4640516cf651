import { asObject } from "../../exchange/json.ts";
import type { GatewayServer } from "./access.ts";
import { createNotification, RPC_ERRORS, RpcFailure, type RpcParams, type RpcRequest } from "./json-rpc.ts";
import type { ServerMessage } from "./link.ts";
import type { McpSession } from "./mcp-session.ts";
import { findByPrefix } from "./names.ts";
import { getMeta, META } from "./revisions.ts";
import type { RpcWriter } from "./rpc-response.ts";
import { knowsTasks, TASKS_EXTENSION } from "./tasks.ts";

interface Subscription {
  readonly message: RpcRequest;
  readonly session: McpSession;
  readonly servers: readonly GatewayServer[];
  readonly reply: RpcWriter;
  readonly signal: AbortSignal;
  /** Returns whether the client may follow a task. `taskId` has no prefix. */
  readonly mayFollow: (server: GatewayServer, taskId: string) => boolean;
}

/** Members of the filter of `subscriptions/listen`, and the notifications that they select. */
const KINDS: Readonly<Record<string, string>> = {
  toolsListChanged: "notifications/tools/list_changed",
  promptsListChanged: "notifications/prompts/list_changed",
  resourcesListChanged: "notifications/resources/list_changed",
};

/**
 * Serves the stream of change notifications of a client without a session, until the client closes it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export async function serveSubscription(subscription: Subscription): Promise<void> {
  const { message, session, servers, reply, signal, mayFollow } = subscription;
  const filter = asObject(message.params?.["notifications"]);
  const wanted = new Set(
    Object.entries(KINDS).flatMap(([name, method]) => (filter[name] === true ? [method] : [])),
  );
  const resources = groupByServer(
    servers.filter(({ isWhole }) => isWhole),
    filter["resourceSubscriptions"],
  );
  const tasks = groupByServer(servers, filter["taskIds"]);
  for (const [server, own] of tasks)
    tasks.set(
      server,
      own.filter((id) => mayFollow(server, id)),
    );
  const uris = withPrefixes(resources);
  const taskIds = withPrefixes(tasks);
  const accepted: RpcParams = {
    ...Object.fromEntries(
      Object.keys(KINDS).flatMap((name) => (filter[name] === true ? [[name, true]] : [])),
    ),
    ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
    ...(taskIds.size > 0 && { taskIds: [...taskIds] }),
  };
  const emit = (sent: ServerMessage) => {
    const { uri, taskId } = sent.params ?? {};
    const isWanted = wanted.has(sent.method) || uris.has(String(uri)) || taskIds.has(String(taskId));
    if (isWanted) reply.emit(withSubscriptionId(sent, message));
  };
  if (Array.isArray(filter["taskIds"]) && !knowsTasks(message.params))
    throw new RpcFailure(RPC_ERRORS.missingCapability, "Missing required client capability", 400, {
      requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
    });
  if (!reply.startEvents()) return;
  const acknowledged = createNotification("notifications/subscriptions/acknowledged", {
    notifications: accepted,
  });
  reply.emit(withSubscriptionId(acknowledged, message));
  await Promise.all(
    [...resources].flatMap(([server, own]) =>
      own.map((uri) => subscribe(session, server, uri, signal).catch(() => undefined)),
    ),
  );
  const ownOf = (groups: typeof tasks, { name }: GatewayServer) =>
    [...groups].flatMap(([server, own]) => (server.name === name ? own : []));
  const close = session.open(servers, emit, (server) => ({
    resources: ownOf(resources, server),
    tasks: ownOf(tasks, server),
  }));
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  close();
}

/**
 * Subscribes to a resource of a server with sessions. Other servers receive the URIs when their stream is requested.
 */
async function subscribe(
  session: McpSession,
  server: GatewayServer,
  uri: string,
  signal: AbortSignal,
): Promise<unknown> {
  const link = await session.link(server);
  if (link.facts.isStateless) return undefined;
  const ignore = () => {};
  const request = {
    server,
    method: "resources/subscribe",
    params: { uri },
    signal,
    emit: ignore,
    onResult: ignore,
  };
  return session.subscribe(request, uri, true);
}

function withPrefixes(groups: ReadonlyMap<GatewayServer, readonly string[]>): Set<string> {
  return new Set([...groups].flatMap(([{ prefix }, own]) => own.map((id) => `${prefix.uri}${id}`)));
}

/** Groups URIs or task ids by the server to which they belong, and removes their prefixes. */
function groupByServer(servers: readonly GatewayServer[], wanted: unknown): Map<GatewayServer, string[]> {
  const groups = new Map<GatewayServer, string[]>();
  for (const id of Array.isArray(wanted) ? (wanted as readonly unknown[]) : []) {
    const found = typeof id === "string" ? findByPrefix(servers, id, "uri") : undefined;
    if (found !== undefined) groups.set(found.server, [...(groups.get(found.server) ?? []), found.rest]);
  }
  return groups;
}

function withSubscriptionId(sent: ServerMessage, { id }: RpcRequest): ServerMessage {
  return createNotification(sent.method, {
    ...sent.params,
    _meta: { ...getMeta(sent.params), [META.subscription]: id },
  });
}
