import type { GatewayServer } from "./access.ts";
import { createNotification, objectIn, type RpcParams, type RpcRequest } from "./json-rpc.ts";
import type { ServerMessage } from "./link.ts";
import type { McpSession } from "./mcp-session.ts";
import { findByPrefix } from "./names.ts";
import { META, metaOf } from "./revisions.ts";
import type { RpcWriter } from "./rpc-response.ts";

interface Subscription {
  readonly message: RpcRequest;
  readonly session: McpSession;
  readonly servers: readonly GatewayServer[];
  readonly reply: RpcWriter;
  readonly signal: AbortSignal;
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
  const { message, session, servers, reply, signal } = subscription;
  const filter = objectIn(message.params?.["notifications"]);
  const wanted = new Set(
    Object.entries(KINDS).flatMap(([name, method]) => (filter[name] === true ? [method] : [])),
  );
  const resources = groupByServer(servers, filter["resourceSubscriptions"]);
  const uris = new Set(
    [...resources].flatMap(([server, own]) => own.map((uri) => `${server.prefix.uri}${uri}`)),
  );
  const accepted: RpcParams = {
    ...Object.fromEntries(
      Object.keys(KINDS).flatMap((name) => (filter[name] === true ? [[name, true]] : [])),
    ),
    ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
  };
  const emit = (sent: ServerMessage) => {
    const isWanted = wanted.has(sent.method) || uris.has(String(sent.params?.["uri"]));
    if (isWanted) reply.emit(tagged(sent, message));
  };
  if (!reply.startEvents()) return;
  const acknowledged = createNotification("notifications/subscriptions/acknowledged", {
    notifications: accepted,
  });
  reply.emit(tagged(acknowledged, message));
  await Promise.all(
    [...resources].flatMap(([server, own]) =>
      own.map((uri) => subscribe(session, server, uri, signal).catch(() => undefined)),
    ),
  );
  const close = session.open(servers, emit, ({ name }) =>
    [...resources].flatMap(([server, own]) => (server.name === name ? own : [])),
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  close();
}

/** Subscribes to a resource of a server with sessions. Other servers receive the URIs with the request for their stream. */
async function subscribe(
  session: McpSession,
  server: GatewayServer,
  uri: string,
  signal: AbortSignal,
): Promise<unknown> {
  const link = await session.link(server);
  if (link.facts.isStateless) return undefined;
  const request = { server, method: "resources/subscribe", params: { uri }, signal, emit: () => {} };
  return session.subscribe(request, uri, true);
}

/** Returns the URIs by the server that they belong to, in the servers' own form. */
function groupByServer(servers: readonly GatewayServer[], wanted: unknown): Map<GatewayServer, string[]> {
  const groups = new Map<GatewayServer, string[]>();
  const whole = servers.filter(({ isWhole }) => isWhole);
  for (const uri of Array.isArray(wanted) ? (wanted as readonly unknown[]) : []) {
    const found = typeof uri === "string" ? findByPrefix(whole, uri, "uri") : undefined;
    if (found !== undefined) groups.set(found.server, [...(groups.get(found.server) ?? []), found.rest]);
  }
  return groups;
}

function tagged(sent: ServerMessage, { id }: RpcRequest): ServerMessage {
  return createNotification(sent.method, {
    ...sent.params,
    _meta: { ...metaOf(sent.params), [META.subscription]: id },
  });
}
