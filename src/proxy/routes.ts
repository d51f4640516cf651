import { dialects, getProfile } from "./dialects/index.ts";
import type { ModelOperation } from "./exchange/dialect-profile.ts";
import type { Dialect } from "./exchange/parts.ts";

export type { ModelOperation };

/** What a route does. Model operations go through the pipeline; every other has its own handler. */
export type Operation = ModelOperation | UtilityOperation;

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

function route(
  method: Route["method"],
  path: string,
  dialect: RouteDialect,
  operation: Operation,
  body: Route["body"] = "whole",
): Route {
  return { method, path, dialect, operation, body };
}

/** Routes that no dialect has for itself. */
const sharedRoutes: readonly Route[] = [
  route("GET", "/v1/models", "by-caller", "list-models", "ignored"),
  route("ANY", "/mcp/web_search_prime/mcp", "plain", "mcp", "streamed"),
  route("ANY", "/mcp/web_reader/mcp", "plain", "mcp", "streamed"),
  route("ANY", "/mcp/vendor-mcp-server/mcp", "plain", "mcp", "streamed"),
  route("ANY", "/mcp/:name/mcp", "plain", "mcp", "streamed"),
  route("POST", "/internal/warmup", "plain", "warmup"),
  route("POST", "/v1/api/event_logging", "plain", "telemetry", "ignored"),
  route("POST", "/v1/api/event_logging/batch", "plain", "telemetry", "ignored"),
  route("POST", "/api/event_logging", "plain", "telemetry", "ignored"),
  route("POST", "/api/event_logging/batch", "plain", "telemetry", "ignored"),
  route("POST", "/v1/models/detect", "plain", "detect"),
  route("GET", "/v1/models/*", "by-caller", "get-model", "ignored"),
  route("GET", "/api/hello", "plain", "hello", "ignored"),
  route("GET", "/healthz", "plain", "health", "ignored"),
  route("GET", "/readyz", "plain", "readiness", "ignored"),
  route("GET", "/metrics", "plain", "metrics", "ignored"),
  route("GET", "/", "plain", "home", "ignored"),
  route("GET", "/internal/dashboard/events", "plain", "dashboard-events", "ignored"),
];

const dialectRoutes = dialects.flatMap((dialect): readonly Route[] =>
  getProfile(dialect).client.routes.map((each) => ({ ...each, dialect })),
);

/** Every route; the most specific one serves a path that several match. */
export const routes: readonly Route[] = [
  ...dialectRoutes.filter(({ needsMethod }) => !needsMethod),
  ...sharedRoutes,
  // Last, because the first route of a path selects the envelope of errors such as a wrong method.
  ...dialectRoutes.filter(({ needsMethod }) => needsMethod),
];

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
