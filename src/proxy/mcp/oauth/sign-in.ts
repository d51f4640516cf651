import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { McpOauth } from "../../../config/proxy/mcp-config.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";
import type { HttpServer } from "../as-upstream.ts";
import type { Fetch } from "./pool-fetch.ts";
import { type SignIn, withTokens } from "./token-file.ts";

export interface SignInParts {
  readonly fetch: Fetch;
  readonly version: string;
  /** Shows the URL of the page at which the user signs in. */
  readonly show: (url: string) => void;
  readonly signal: AbortSignal;
}

/** The parameters of the authorization server's redirect to the proxy. */
interface Returned {
  readonly code: string;
  readonly issuer: string | undefined;
}

/**
 * Signs in to an MCP server with OAuth 2.1: finds the authorization server by the metadata of the protected resource
 * (RFC 9728), registers a client if none is configured (RFC 7591), sends the user to the authorization server with
 * PKCE, and exchanges the code for tokens. Throws `configuration` if the server has no `oauth`, `upstream_error` with
 * the step that failed, `port_in_use` if it cannot listen for the redirect, and `upstream_timeout` if `signal` aborts
 * before the redirect.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export async function signIn(name: string, server: HttpServer, parts: SignInParts): Promise<SignIn> {
  const { oauth, url } = server;
  if (oauth === undefined) throw new AppError("configuration", `proxy.mcp.${name} has no oauth`);
  const sdk = await import("@modelcontextprotocol/sdk/client/auth.js");
  const challenge = await findChallenge(name, server, parts, sdk);
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = await step(
    name,
    "find its authorization server",
    () =>
      sdk.discoverOAuthServerInfo(url, {
        resourceMetadataUrl: challenge.resourceMetadataUrl,
        fetchFn: parts.fetch,
      }),
  );
  const metadata = authorizationServerMetadata;
  if (metadata === undefined) throw failure(name, `${authorizationServerUrl} publishes no metadata`);
  if (toIssuer(metadata.issuer) !== toIssuer(authorizationServerUrl))
    throw failure(name, `the metadata of ${authorizationServerUrl} names another issuer: ${metadata.issuer}`);
  const resource = toResource(name, url, resourceMetadata?.resource);
  const listener = await listenForReturn(oauth.redirectPort);
  try {
    const { redirectUrl } = listener;
    const scope = chooseScope(
      oauth,
      challenge.scope,
      resourceMetadata?.scopes_supported,
      metadata.scopes_supported,
    );
    const clientInformation =
      oauth.clientId === undefined
        ? await step(name, "register a client", () =>
            sdk.registerClient(authorizationServerUrl, {
              metadata,
              clientMetadata: {
                client_name: "Sallyport",
                software_version: parts.version,
                redirect_uris: [redirectUrl],
                grant_types: ["authorization_code", "refresh_token"],
                response_types: ["code"],
                token_endpoint_auth_method: "none",
                // Without this member, OpenID Connect assumes a web client and rejects its loopback address.
                ...{ application_type: "native" },
              },
              scope,
              fetchFn: parts.fetch,
            }),
          )
        : { client_id: oauth.clientId, client_secret: oauth.clientSecret };
    const state = randomBytes(24).toString("base64url");
    const { authorizationUrl, codeVerifier } = await step(name, "begin the sign-in", () =>
      sdk.startAuthorization(authorizationServerUrl, {
        metadata,
        clientInformation,
        redirectUrl,
        scope,
        state,
        resource,
      }),
    );
    // A signal that has already aborted emits no event.
    if (parts.signal.aborted) throw timedOut();
    parts.show(authorizationUrl.href);
    const { code, issuer } = await listener.returned(state, parts.signal);
    const isIssuerRequired = Reflect.get(metadata, "authorization_response_iss_parameter_supported") === true;
    // Prevents a mix-up attack: the code must not be sent to another authorization server (RFC 9207).
    if (issuer === undefined ? isIssuerRequired : issuer !== metadata.issuer)
      throw failure(name, "the response came from another authorization server or lacks the parameter iss");
    const tokens = await step(name, "exchange the code for tokens", () =>
      sdk.exchangeAuthorization(authorizationServerUrl, {
        metadata,
        clientInformation,
        authorizationCode: code,
        codeVerifier,
        redirectUri: redirectUrl,
        resource,
        fetchFn: parts.fetch,
      }),
    );
    const known = {
      server: url,
      authorization_server: String(authorizationServerUrl),
      metadata: { ...metadata },
      resource,
      client: { ...clientInformation },
      refresh_token: undefined,
      scope,
    };
    return withTokens(known, tokens);
  } finally {
    listener.close();
  }
}

type Sdk = typeof import("@modelcontextprotocol/sdk/client/auth.js");

/** Calls the server without a token. Returns the parameters of its challenge; none if the status is not 401. */
async function findChallenge(
  name: string,
  { url, headers }: HttpServer,
  { fetch, version }: SignInParts,
  sdk: Sdk,
): Promise<ReturnType<Sdk["extractWWWAuthenticateParams"]>> {
  const clientInfo = { name: "sallyport", version };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const response = await step(name, "reach it", () =>
    fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    }),
  );
  return response.status === 401 ? sdk.extractWWWAuthenticateParams(response) : {};
}

/**
 * Returns the resource for which tokens are requested; undefined if the server publishes none. Throws if the server's
 * URL is not within the resource, because the server must not receive tokens for another resource.
 */
function toResource(name: string, url: string, published: string | undefined): string | undefined {
  if (published === undefined) return undefined;
  const [server, resource] = [new URL(url), new URL(published)];
  const isParent = `${server.pathname}/`.startsWith(`${resource.pathname.replace(/\/$/, "")}/`);
  if (server.origin !== resource.origin || !isParent)
    throw failure(name, `its metadata is that of another resource: ${published}`);
  return published;
}

/**
 * Returns the scope to request: the configured scope, or else the server's. Adds `offline_access` to the latter if the
 * authorization server supports it, because refresh tokens may require that scope.
 */
function chooseScope(
  { scope }: McpOauth,
  challenged: string | undefined,
  published: readonly string[] | undefined,
  known: readonly string[] | undefined,
): string | undefined {
  if (scope !== undefined) return scope;
  const wanted = challenged ?? published?.join(" ");
  if (!known?.includes("offline_access") || wanted?.split(" ").includes("offline_access")) return wanted;
  return wanted === undefined ? undefined : `${wanted} offline_access`;
}

function toIssuer(url: string): string {
  return url.replace(/\/$/, "");
}

async function step<Result>(name: string, what: string, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    throw failure(name, `cannot ${what}: ${getErrorMessage(error)}`, error);
  }
}

function failure(name: string, why: string, cause?: unknown): AppError {
  return new AppError("upstream_error", `Cannot sign in to the MCP server ${name}: ${why}`, { cause });
}

function timedOut(): AppError {
  return new AppError("upstream_timeout", "The sign-in was not completed in time", {
    hint: "Run the command again, or give it more time with --timeout.",
  });
}

interface ReturnListener {
  readonly redirectUrl: string;
  /** Resolves when the authorization server has redirected the browser to `redirectUrl` with this state. */
  returned(state: string, signal: AbortSignal): Promise<Returned>;
  close(): void;
}

const PAGE = "<!doctype html><meta charset=utf-8><title>Sallyport</title><p>";

/** Listens on loopback for the authorization server's redirect (RFC 8252, section 7.3). */
async function listenForReturn(port: number): Promise<ReturnListener> {
  let take: (parameters: URLSearchParams) => string = () => "This sign-in has ended.";
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const isReturn = request.method === "GET" && pathname === "/callback";
    const text = isReturn ? take(searchParams) : "Unknown path.";
    response.writeHead(isReturn ? 200 : 404, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(`${PAGE}${text}`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new AppError("port_in_use", `Cannot listen on port ${port} for the sign-in: ${cause.message}`, {
          cause,
          hint: "End the program that uses the port, or set another oauth.redirect_port.",
        }),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    returned: (state, signal) =>
      new Promise((resolve, reject) => {
        const abort = () => reject(timedOut());
        signal.addEventListener("abort", abort, { once: true });
        take = (parameters) => {
          // A web page that guesses the port must not end the sign-in.
          if (parameters.get("state") !== state) return "This page belongs to another sign-in.";
          const code = parameters.get("code");
          signal.removeEventListener("abort", abort);
          if (code === null) {
            const why = parameters.get("error_description") ?? parameters.get("error") ?? "no code";
            reject(new AppError("upstream_error", `The authorization server refused the sign-in: ${why}`));
            return "The sign-in was refused. You can close this page.";
          }
          resolve({ code, issuer: parameters.get("iss") ?? undefined });
          return "You are signed in. You can close this page.";
        };
      }),
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}
