import type { Dialect } from "./exchange/parts.ts";

/** What a route is for. Model operations go through `handle-call.ts`; the others have a handler of their own. */
export type Operation = ModelOperation | UtilityOperation;

export type ModelOperation =
  | "generate"
  | "count-tokens"
  | "embed"
  | "image-generation"
  | "image-edit"
  | "transcription"
  /** `POST /v1beta/models/{model}:{method}`: the path's end says which of the others it is. */
  | "by-method"
  /** A stored response, read, deleted or cancelled, or what it was asked. */
  | "stored-response"
  /** A conversation made shorter, into a form that its vendor alone can read. */
  | "compact";

const UTILITIES = [
  "list-models",
  "get-model",
  "detect",
  "warmup",
  "telemetry",
  "health",
  "readiness",
  "metrics",
  "mcp",
  "hello",
  // `GET /v1/responses`, which some clients try to upgrade to a WebSocket.
  "websocket",
  "home",
  // What the page at `/` is kept up to date with.
  "dashboard-events",
] as const;

type UtilityOperation = (typeof UTILITIES)[number];

/** In whose envelope errors are told; `plain` is `{error}`. `by-caller` is chosen by the request's headers. */
export type RouteDialect = Dialect | "plain" | "by-caller";

export interface Route {
  /** `ANY` is every method that Node knows. */
  readonly method: "GET" | "POST" | "DELETE" | "ANY";
  readonly path: string;
  readonly dialect: RouteDialect;
  readonly operation: Operation;
  /** Bodies: read whole, passed on as they come, or not looked at. */
  readonly body: "whole" | "streamed" | "ignored";
  /** Whether it takes only paths that name a method behind a colon. */
  readonly needsMethod?: true;
}

const chat = "chat-completions";
const google = "generative-language";

function route(
  method: Route["method"],
  path: string,
  dialect: RouteDialect,
  operation: Operation,
  body: Route["body"] = "whole",
): Route {
  return { method, path, dialect, operation, body };
}

/** The routes of the specification, in its order. */
export const specifiedRoutes: readonly Route[] = [
  route("GET", "/v1/models", "by-caller", "list-models", "ignored"),
  route("POST", "/v1/chat/completions", chat, "generate"),
  route("POST", "/v1/completions", "completions", "generate"),
  route("POST", "/v1/responses", "responses", "generate"),
  route("POST", "/v1/images/generations", chat, "image-generation"),
  route("POST", "/v1/images/edits", chat, "image-edit", "streamed"),
  route("POST", "/v1/audio/transcriptions", chat, "transcription", "streamed"),

  route("POST", "/v1/messages", "messages", "generate"),
  route("POST", "/v1/messages/count_tokens", "messages", "count-tokens"),
  route("GET", "/v1/models/vendorx", "messages", "list-models", "ignored"),

  route("GET", "/v1beta/models", google, "list-models", "ignored"),
  route("GET", "/v1beta/models/:model", google, "get-model", "ignored"),
  route("POST", "/v1beta/models/:model", google, "by-method"),
  route("POST", "/v1beta/models/:model/countTokens", google, "count-tokens"),

  route("ANY", "/mcp/web_search_prime/mcp", "plain", "mcp", "streamed"),
  route("ANY", "/mcp/web_reader/mcp", "plain", "mcp", "streamed"),
  route("ANY", "/mcp/vendor-mcp-server/mcp", "plain", "mcp", "streamed"),

  route("POST", "/internal/warmup", "plain", "warmup"),
  route("POST", "/v1/api/event_logging", "plain", "telemetry", "ignored"),
  route("POST", "/v1/api/event_logging/batch", "plain", "telemetry", "ignored"),
  route("GET", "/healthz", "plain", "health", "ignored"),
  route("POST", "/v1/models/detect", "plain", "detect"),
];

/** What real clients call besides, with the same handlers. */
const furtherRoutes: readonly Route[] = [
  route("GET", "/v1/models/claude", "messages", "list-models", "ignored"),
  route("GET", "/v1/models/*", "by-caller", "get-model", "ignored"),
  { ...route("POST", "/v1/models/*", google, "by-method"), needsMethod: true },
  route("GET", "/v1beta/models/*", google, "get-model", "ignored"),
  route("POST", "/v1beta/models/*", google, "by-method"),
  route("POST", "/v1/embeddings", chat, "embed"),
  route("GET", "/v1/responses", "responses", "websocket", "ignored"),
  route("POST", "/v1/responses/input_tokens", "responses", "count-tokens"),
  route("POST", "/v1/responses/compact", "responses", "compact"),
  route("GET", "/v1/responses/:id", "responses", "stored-response", "ignored"),
  route("GET", "/v1/responses/:id/input_items", "responses", "stored-response", "ignored"),
  route("POST", "/v1/responses/:id/cancel", "responses", "stored-response", "ignored"),
  route("DELETE", "/v1/responses/:id", "responses", "stored-response", "ignored"),
  route("POST", "/api/event_logging", "plain", "telemetry", "ignored"),
  route("POST", "/api/event_logging/batch", "plain", "telemetry", "ignored"),
  route("ANY", "/mcp/:name/mcp", "plain", "mcp", "streamed"),
  route("GET", "/api/hello", "plain", "hello", "ignored"),
  route("GET", "/readyz", "plain", "readiness", "ignored"),
  route("GET", "/metrics", "plain", "metrics", "ignored"),
  route("GET", "/", "plain", "home", "ignored"),
  route("GET", "/internal/dashboard/events", "plain", "dashboard-events", "ignored"),
];

/** Every route there is; of two that fit a path, the more exact one serves it. */
export const routes: readonly Route[] = [...specifiedRoutes, ...furtherRoutes];

/** Whether a path that a route's pattern fits is one of that route's. */
export function takesPath({ needsMethod }: Route, path: string): boolean {
  return !needsMethod || /(?::|%3a)[^:/]+$/i.test(path);
}

/** A route of a model operation: its errors are told in its own dialect. */
export type ModelRoute = Route & { readonly dialect: Dialect };

const utilities = new Set<Operation>(UTILITIES);

/** Whether a route calls a model, and so goes through `handle-call.ts`. */
export function isModelRoute(route: Route): route is ModelRoute {
  return !utilities.has(route.operation) && route.dialect !== "plain" && route.dialect !== "by-caller";
}
