import { type SendHttp, statusError } from "./http-exchange.ts";
import type { McpLink } from "./link.ts";
import { type ClientFacts, STATELESS } from "./revisions.ts";
import { NoSession, SessionLink } from "./session-link.ts";
import { StatelessLink } from "./stateless-link.ts";

/**
 * Opens a connection to a server over HTTP in a revision that it supports: that of the client's kind first, then the other
 * kind. https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export async function openHttpLink(
  server: string,
  http: SendHttp,
  client: ClientFacts,
  signal: AbortSignal,
): Promise<McpLink> {
  if (client.version === STATELESS) {
    const link = await StatelessLink.open(server, http, client, signal).catch(() => undefined);
    if (link !== undefined) return link;
  }
  try {
    return await SessionLink.open(server, http, client, signal);
  } catch (error) {
    if (!(error instanceof NoSession)) throw error;
    const { status, response } = error.exchanged;
    const isStateless = status === 400 || status === 404 || response?.error !== undefined;
    if (client.version !== STATELESS && isStateless && status !== 401)
      return StatelessLink.open(server, http, client, signal);
    throw statusError(server, status);
  }
}
