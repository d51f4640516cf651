import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { McpServerConfig } from "../../config/proxy/mcp-config.ts";
import { parseBaseUrl } from "../upstream/clients.ts";

/** An MCP server over HTTP. */
export interface HttpServer extends McpServerConfig {
  readonly url: string;
}

export function isHttpServer(server: McpServerConfig): server is HttpServer {
  return server.url !== undefined;
}

/** Returns the part of a server's URL that the base URL of its upstream lacks: the trailing slash and the query. */
export function getPathBelow({ url }: HttpServer): string {
  const { pathname, search } = new URL(url);
  return `${pathname.endsWith("/") ? "/" : ""}${search}`;
}

const servers = new WeakMap<HttpServer, UpstreamConfig>();

/**
 * Returns an MCP server as an upstream. Its base URL lacks what `getPathBelow` returns, and the configured headers
 * contain the credentials. `authorization` replaces the configured header of that name.
 */
export function asUpstream(name: string, server: HttpServer, authorization?: string): UpstreamConfig {
  const upstream = configuredUpstream(name, server);
  if (authorization === undefined) return upstream;
  return { ...upstream, headers: { ...upstream.headers, authorization } };
}

function configuredUpstream(name: string, server: HttpServer): UpstreamConfig {
  const known = servers.get(server);
  if (known) return known;
  const { origin, prefix } = parseBaseUrl(server.url);
  const upstream: UpstreamConfig = {
    name,
    dialect: "any",
    baseUrl: `${origin}${prefix}`,
    keys: [],
    credentials: "config",
    headers: server.headers,
    forwardHeaders: [],
    models: [],
    capabilities: {},
    prices: new Map(),
    timeouts: { connectMs: 10_000, firstByteMs: 0, idleMs: 0 },
    weight: undefined,
  };
  servers.set(server, upstream);
  return upstream;
}
