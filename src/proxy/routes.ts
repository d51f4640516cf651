import { dialects, getProfile } from "./dialects/index.ts";
import type { ModelOperation } from "./exchange/dialect-profile.ts";
import type { Dialect } from "./exchange/parts.ts";

export type { ModelOperation };

/** The operation of a route: a model operation, which `handle-call.ts` serves, or a utility operation. */
export type Operation = ModelOperation | UtilityOperation;

const UTILITIES = [
  "list-models",
  "get-model",
  "detect",
  "warmup",
  "telemetry",
  "otlp",
  "health",
  "readiness",
  "metrics",
  "mcp",
  "hello",
  // The settings that Claude Code reads from its gateway, and the used share of the key's budgets.
  "managed-settings",
  "key-usage",
  // `GET /v1/responses`, which some clients try to upgrade to a WebSocket.
  "websocket",
  // WebSockets that are relayed: OpenAI's realtime API and Google's Live API.
  "realtime",
  "home",
  // The event stream that keeps the page at `/` up to date.
  "dashboard-events",
  "admin",
  // The calls and limits of the caller's key.
  "own",
  // Calls to other APIs of the client's vendor, which the proxy relays to an upstream of that vendor.
  "pass-through",
  // Model calls of clients that are set up for Claude on Amazon Bedrock or Google Vertex AI.
  "bedrock-client",
  "vertex-client",
] as const;

type UtilityOperation = (typeof UTILITIES)[number];

/**
 * The format in which a route returns errors: that of a dialect, `plain` for `{error}`, `admin` for
 * `{error: {code, message}}`, or `bedrock` for AWS's `{message}`. With `by-caller`, the request's headers select the
 * dialect.
 */
export type RouteDialect = Dialect | "plain" | "admin" | "bedrock" | "by-caller";

export interface Route {
  /**
   * `COMMON` stands for `COMMON_METHODS`, and `ANY` for every method that Node.js supports, except `CONNECT` and
   * `OPTIONS`. Fastify's router compiles code for each method of a route, so many routes with `ANY` slow the start.
   */
  readonly method: "GET" | "POST" | "DELETE" | "COMMON" | "ANY";
  readonly path: string;
  readonly dialect: RouteDialect;
  readonly operation: Operation;
  /**
   * How the body of a model call is handled: read whole, streamed to the upstream if it is a form, or not read. The
   * handlers of other operations decide this themselves.
   */
  readonly body: "whole" | "streamed" | "ignored";
  /** Whether the route serves only paths that end with `:` and a method. */
  readonly needsMethod?: true;
}

/** The methods that vendors' APIs use. */
export const COMMON_METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

function route(
  method: Route["method"],
  path: string,
  dialect: RouteDialect,
  operation: Operation,
  body: Route["body"] = "whole",
): Route {
  return { method, path, dialect, operation, body };
}

/** The endpoint of the MCP gateway, which serves all MCP servers together. */
export const MCP_GATEWAY = "/mcp";

/** Routes that no dialect's profile defines, without the pass-through and WebSocket routes below. */
const sharedRoutes: readonly Route[] = [
  route("GET", "/v1/models", "by-caller", "list-models", "ignored"),
  route("ANY", "/mcp/web_search_prime/mcp", "plain", "mcp", "streamed"),
  route("ANY", "/mcp/web_reader/mcp", "plain", "mcp", "streamed"),
  route("ANY", "/mcp/vendor-mcp-server/mcp", "plain", "mcp", "streamed"),
  route("ANY", "/mcp/:name/mcp", "plain", "mcp", "streamed"),
  route("ANY", MCP_GATEWAY, "plain", "mcp", "whole"),
  route("POST", "/internal/warmup", "plain", "warmup"),
  route("POST", "/v1/api/event_logging", "plain", "telemetry", "ignored"),
  route("POST", "/v1/api/event_logging/batch", "plain", "telemetry", "ignored"),
  route("POST", "/api/event_logging", "plain", "telemetry", "ignored"),
  route("POST", "/api/event_logging/batch", "plain", "telemetry", "ignored"),
  route("POST", "/v1/metrics", "plain", "otlp", "ignored"),
  route("POST", "/v1/logs", "plain", "otlp", "ignored"),
  route("POST", "/v1/traces", "plain", "otlp", "ignored"),
  route("POST", "/v1/models/detect", "plain", "detect"),
  route("GET", "/v1/models/*", "by-caller", "get-model", "ignored"),
  route("GET", "/api/hello", "plain", "hello", "ignored"),
  route("GET", "/managed/settings", "plain", "managed-settings", "ignored"),
  route("GET", "/api/oauth/usage", "messages", "key-usage", "ignored"),
  route("GET", "/healthz", "plain", "health", "ignored"),
  route("GET", "/readyz", "plain", "readiness", "ignored"),
  route("GET", "/metrics", "plain", "metrics", "ignored"),
  route("GET", "/", "plain", "home", "ignored"),
  route("GET", "/internal/dashboard/events", "plain", "dashboard-events", "ignored"),
  route("COMMON", "/api/admin/v1/*", "admin", "admin"),
  route("COMMON", "/api/me/v1/*", "admin", "own"),
  route("POST", "/model/:model/invoke", "bedrock", "bedrock-client"),
  route("POST", "/model/:model/invoke-with-response-stream", "bedrock", "bedrock-client"),
  route("POST", "/model/:model/count-tokens", "bedrock", "bedrock-client"),
  route(
    "POST",
    "/v1/projects/:project/locations/:location/publishers/anthropic/models/*",
    "messages",
    "vertex-client",
  ),
];

/**
 * Paths of vendors' APIs that the proxy passes through without translation. If several vendors have the same path, the
 * request's headers select one.
 */
const PASSED: readonly (readonly [dialect: RouteDialect, ...paths: readonly string[]])[] = [
  ["by-caller", "/v1/files", "/v1/files/*"],
  ["chat-completions", "/v1/uploads", "/v1/uploads/*", "/v1/batches", "/v1/batches/*"],
  ["chat-completions", "/v1/vector_stores", "/v1/vector_stores/*", "/v1/moderations", "/v1/rerank"],
  ["chat-completions", "/v1/audio/speech", "/v1/audio/translations"],
  ["messages", "/v1/messages/batches", "/v1/messages/batches/*"],
  ["generative-language", "/v1beta/files", "/v1beta/files/*", "/upload/v1beta/files"],
  ["generative-language", "/download/v1beta/files/*", "/v1beta/cachedContents", "/v1beta/cachedContents/*"],
  ["generative-language", "/v1beta/batches", "/v1beta/batches/*", "/v1beta/models/:model/operations/*"],
  ["generative-language", "/v1beta/fileSearchStores", "/v1beta/fileSearchStores/*"],
  ["generative-language", "/upload/v1beta/fileSearchStores/*"],
  ["generative-language", "/v1beta/interactions", "/v1beta/interactions/*"],
];

const passedRoutes: readonly Route[] = PASSED.flatMap(([dialect, ...paths]) =>
  paths.map((path) => route("COMMON", path, dialect, "pass-through", "streamed")),
);

const LIVE = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";

const webSocketRoutes: readonly Route[] = [
  route("GET", "/v1/realtime", "chat-completions", "realtime", "ignored"),
  route("GET", LIVE, "generative-language", "realtime", "ignored"),
];

/** The route of unknown paths, if the configuration relays them. */
export const UNKNOWN_PATHS: Route = route("ANY", "/*", "by-caller", "pass-through", "streamed");

const dialectRoutes = dialects.flatMap((dialect): readonly Route[] =>
  getProfile(dialect).client.routes.map((each) => ({ ...each, dialect })),
);

/** All routes. If several match a path, the most specific one serves it. */
export const routes: readonly Route[] = [
  ...dialectRoutes.filter(({ needsMethod }) => !needsMethod),
  ...sharedRoutes,
  ...passedRoutes,
  ...webSocketRoutes,
  // These come last, because the first route of a path selects the format of errors such as a wrong method.
  ...dialectRoutes.filter(({ needsMethod }) => needsMethod),
];

/** Returns whether a route serves a path that matches its pattern; see `needsMethod`. */
export function takesPath({ needsMethod }: Route, path: string): boolean {
  return !needsMethod || /(?::|%3a)[^:/]+$/i.test(path);
}

/** A route of a model operation. It returns errors in its own dialect. */
export type ModelRoute = Route & { readonly dialect: Dialect };

const utilities = new Set<Operation>(UTILITIES);
const otherFormats = new Set<RouteDialect>(["plain", "admin", "bedrock", "by-caller"]);

/** Returns whether a route calls a model and is served by `handle-call.ts`. */
export function isModelRoute(route: Route): route is ModelRoute {
  const { operation, dialect } = route;
  return !utilities.has(operation) && !otherFormats.has(dialect);
}
