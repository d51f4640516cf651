import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { closeHere, listenHere } from "./mcp-servers.ts";

/** An authorization server and the MCP server that it protects, at wire level (RFC 6749, 7591, 7636, 8414, 8707, 9207, 9728). */
export interface OauthServer {
  /** The URL of the protected MCP server. */
  readonly url: string;
  readonly issuer: string;
  /** The parameters of each request to the token endpoint. */
  readonly tokenRequests: URLSearchParams[];
  readonly registrations: Record<string, unknown>[];
  readonly state: {
    /** Seconds for which access tokens are valid. */
    lifetime: number;
    /** The issuer in the authorization response; undefined: the real one. */
    shownIssuer: string | undefined;
    /** The issuer in the metadata; undefined: the real one. */
    publishedIssuer: string | undefined;
  };
  /** Makes every access token that was issued before invalid. */
  revokeAccess(): void;
  /** Makes every refresh token invalid. */
  revokeAll(): void;
  close(): Promise<void>;
}

export async function startOauthServer(): Promise<OauthServer> {
  const codes = new Map<string, URLSearchParams>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const tokenRequests: URLSearchParams[] = [];
  const registrations: Record<string, unknown>[] = [];
  const state: OauthServer["state"] = { lifetime: 3600, shownIssuer: undefined, publishedIssuer: undefined };
  let origin = "";
  const issue = () => {
    const [token, refreshToken] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    access.add(token);
    refresh.add(refreshToken);
    return {
      access_token: token,
      refresh_token: refreshToken,
      token_type: "Bearer",
      expires_in: state.lifetime,
      scope: "tools offline_access",
    };
  };
  const routes: Record<
    string,
    (request: IncomingMessage, query: URLSearchParams, body: string) => RouteResponse
  > = {
    "/.well-known/oauth-protected-resource/mcp": () => ({
      json: { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ["tools"] },
    }),
    "/.well-known/oauth-authorization-server": () => ({
      json: {
        issuer: state.publishedIssuer ?? origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        scopes_supported: ["tools", "offline_access"],
        authorization_response_iss_parameter_supported: true,
      },
    }),
    "/register": (_request, _query, body) => {
      const registration: Record<string, unknown> = JSON.parse(body);
      registrations.push(registration);
      return { status: 201, json: { ...registration, client_id: `client-${registrations.length}` } };
    },
    // The person agrees immediately.
    "/authorize": (_request, query) => {
      const code = randomUUID();
      codes.set(code, query);
      const back = new URL(query.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", query.get("state") ?? "");
      back.searchParams.set("iss", state.shownIssuer ?? origin);
      return { status: 302, location: back.href };
    },
    "/token": (_request, _query, body) => {
      const given = new URLSearchParams(body);
      tokenRequests.push(given);
      if (given.get("grant_type") === "refresh_token")
        return refresh.delete(given.get("refresh_token") ?? "")
          ? { json: issue() }
          : { status: 400, json: { error: "invalid_grant" } };
      const asked = codes.get(given.get("code") ?? "");
      codes.delete(given.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(given.get("code_verifier") ?? "")
        .digest("base64url");
      const isRight =
        asked?.get("code_challenge") === challenge &&
        asked.get("redirect_uri") === given.get("redirect_uri") &&
        given.get("resource") === `${origin}/mcp`;
      return isRight ? { json: issue() } : { status: 400, json: { error: "invalid_grant" } };
    },
    "/mcp": (request, _query, body) => {
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      if (!access.has(token)) {
        const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
        return { status: 401, json: {}, challenge: `Bearer resource_metadata="${metadata}"` };
      }
      const { id, method } = body === "" ? { id: undefined, method: "" } : JSON.parse(body);
      if (id === undefined) return { status: method === "" ? 405 : 202 };
      const tools = [{ name: "guarded", inputSchema: { type: "object" } }];
      const capabilities = { tools: {} };
      const info = { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "o", version: "1" } };
      return { json: { jsonrpc: "2.0", id, result: method === "initialize" ? info : { tools } } };
    },
  };
  const http = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    const {
      status = 200,
      json,
      location,
      challenge,
    } = routes[pathname]?.(request, searchParams, body) ?? {
      status: 404,
    };
    response.writeHead(status, {
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(location !== undefined && { location }),
      ...(challenge !== undefined && { "www-authenticate": challenge }),
    });
    response.end(json === undefined ? "" : JSON.stringify(json));
  });
  origin = await listenHere(http);
  return {
    url: `${origin}/mcp`,
    issuer: origin,
    tokenRequests,
    registrations,
    state,
    revokeAccess: () => access.clear(),
    revokeAll() {
      access.clear();
      refresh.clear();
    },
    close: () => closeHere(http),
  };
}

interface RouteResponse {
  readonly status?: number;
  readonly json?: object;
  readonly location?: string;
  readonly challenge?: string;
}
