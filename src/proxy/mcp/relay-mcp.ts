import type { FastifyReply, FastifyRequest } from "fastify";
import type { McpServerConfig, UpstreamConfig } from "../../config/proxy-config.ts";
import { AppError } from "../../errors.ts";
import type { Services } from "../services.ts";
import { placeOf, relayTo } from "../upstream/clients.ts";
import { createStreamWatch } from "../usage/stream-watch.ts";

/**
 * Relays one call of an MCP client (streamable HTTP): any method, bodies as they come, events unbuffered, session and
 * protocol headers both ways, no limit on silence, since clients listen for hours.
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */
export async function relayMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<void> {
  const name = mcpName(request.url);
  const server = request.runtime.config.mcp.get(name);
  if (!server?.enabled)
    throw new AppError("not_found", `The MCP server ${name} is not configured or switched off`);
  const upstream = asUpstream(name, server);
  const id = services.nextRequestId();
  const own = ["x-sallyport-request-id", id];
  for (const [header, value] of Object.entries(reply.getHeaders())) own.push(header, String(value));
  const { raw } = request;
  const hasBody =
    raw.headers["content-length"] !== undefined || raw.headers["transfer-encoding"] !== undefined;
  const length = raw.headers["content-length"];
  reply.hijack();
  const outcome = await relayTo(
    services.pools,
    upstream,
    {
      method: request.method,
      path: queryFor(server, request),
      rawHeaders: raw.rawHeaders,
      body: hasBody && length !== "0" ? raw : null,
      needs: {
        key: undefined,
        via: services.via,
        acceptEncoding: undefined,
        contentLength: hasBody && length !== undefined ? Number(length) : undefined,
        isOwnKey: () => true,
      },
    },
    {
      upstream: name,
      response: reply.raw,
      kind: "verbatim",
      ownHeaders: own,
      createWatch: () => createStreamWatch("chat-completions"),
      faultEvent: () => "",
      ping: "",
      pinger: services.pinger,
    },
  );
  if (outcome.kind !== "failed") return;
  const body = JSON.stringify({ error: outcome.fault.message });
  reply.raw.writeHead(outcome.fault.status, [...own, "content-type", "application/json; charset=utf-8"]);
  reply.raw.end(body);
}

/** The name in `/mcp/NAME/mcp`. */
function mcpName(url: string): string {
  return decodeURIComponent(url.split("/", 3)[2] ?? "");
}

/** The server's own query and the client's; the proxy's key, if a client sends it so, stays here. */
function queryFor(server: McpServerConfig, request: FastifyRequest): string {
  const at = request.url.indexOf("?");
  const asked = at < 0 ? [] : request.url.slice(at + 1).split("&");
  const pairs = asked.filter((pair) => {
    const value = decodeURIComponent(pair.slice(pair.indexOf("=") + 1).replace(/%(?![0-9a-f]{2})/gi, "%25"));
    return request.runtime.keys.nameOf([value]) === undefined;
  });
  const own = new URL(server.url).search.slice(1);
  const query = [...(own === "" ? [] : [own]), ...pairs].join("&");
  return query === "" ? "" : `?${query}`;
}

const servers = new WeakMap<McpServerConfig, UpstreamConfig>();

/** An MCP server seen as an upstream: its URL is the whole path, its headers carry its credentials. */
function asUpstream(name: string, server: McpServerConfig): UpstreamConfig {
  const known = servers.get(server);
  if (known) return known;
  const { origin, prefix } = placeOf(server.url);
  const upstream: UpstreamConfig = {
    name,
    dialect: "any",
    baseUrl: `${origin}${prefix}`,
    keys: [],
    credentials: "config",
    headers: server.headers,
    models: [],
    capabilities: {},
    timeouts: { connectMs: 10_000, firstByteMs: 0, idleMs: 0 },
    weight: undefined,
  };
  servers.set(server, upstream);
  return upstream;
}
