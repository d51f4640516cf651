import type { IncomingMessage } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { ProxyKey } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { getPath } from "../../http/request-path.ts";
import { encodeProxyError, type ProxyError, toProxyError } from "../dialect-errors.ts";
import type { AdmittedUpgrade } from "../pipeline/websocket-call.ts";
import { type Route, routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { type Arrival, admit, createConnectionLimitError, createRefusal } from "./admission.ts";
import { noteRefusal } from "./note-refusal.ts";
import type { RelayedWebSockets } from "./relay-websocket.ts";
import type { ResponsesWebSockets } from "./responses-websocket.ts";

/** Routes that accept a WebSocket, by path. */
const upgradable = new Map(
  routes
    .filter(({ operation }) => operation === "websocket" || operation === "realtime")
    .map((route) => [route.path, route] as const),
);

/** Returns whether a request is an upgrade to a WebSocket on a route that accepts WebSockets. */
export function isWebSocketRequest({ method, headers, url = "" }: IncomingMessage): boolean {
  if (method !== "GET" || !/^websocket$/i.test(headers.upgrade ?? "")) return false;
  return upgradable.has(getPath(withSingleSlash(url)));
}

/** Returns a URL with one slash before `ws/`. Google's SDK requests `//ws/…` if its base URL ends with a slash. */
function withSingleSlash(url: string): string {
  return url.replace(/^\/+(?=ws\/)/, "/");
}

/** Closes the WebSockets of a proxy. */
export interface Upgrades {
  /** Closes idle and relayed connections immediately, and each other connection after its running response. */
  drain(): void;
  stop(): void;
}

/**
 * Serves WebSocket upgrades, with the same admission as requests over HTTP. Loads the WebSocket library on the first
 * upgrade.
 */
export function serveUpgrades(app: FastifyInstance, services: Services): Upgrades {
  let loading: Promise<ResponsesWebSockets> | undefined;
  let sockets: ResponsesWebSockets | undefined;
  let relayed: RelayedWebSockets | undefined;
  const relay = async (upgrade: AdmittedUpgrade) => {
    const { RelayedWebSockets } = await import("./relay-websocket.ts");
    relayed ??= new RelayedWebSockets(services);
    await relayed.accept(upgrade);
  };
  const load = async () => {
    const module = await import("./responses-websocket.ts");
    sockets = new module.ResponsesWebSockets(services);
    return sockets;
  };
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    request.url = withSingleSlash(request.url ?? "");
    const route = upgradable.get(getPath(request.url ?? ""));
    const checked = route === undefined ? UNKNOWN : check(request, route, services);
    if (checked instanceof AppError) {
      const rejection = toProxyError(checked);
      noteRefusal(request, route, rejection, services);
      reject(socket, rejection, route, services);
      return;
    }
    if (route !== undefined && isModelDialect(route)) {
      const admitAgain = () => admit(toArrival(request), route, services.runtime(), services);
      relay({ request, socket, head, route, key: checked.key, admitAgain }).catch((error: unknown) => {
        reject(socket, toProxyError(error), route, services);
      });
      return;
    }
    loading ??= load();
    loading.then(
      (loaded) => loaded.accept(request, socket, head),
      () => socket.destroy(),
    );
  });
  return {
    drain() {
      sockets?.drain();
      // Clients would keep relayed connections open.
      relayed?.stop();
    },
    stop() {
      sockets?.stop();
      relayed?.stop();
    },
  };
}

const UNKNOWN = new AppError("not_found", "Unknown path");

function isModelDialect(route: Route): route is AdmittedUpgrade["route"] {
  return route.operation === "realtime";
}

/** Runs admission. Returns the client's key, or the error with which the upgrade is rejected. */
function check(
  request: IncomingMessage,
  route: Route,
  services: Services,
): AppError | { readonly key: ProxyKey | undefined } {
  const { headers, socket } = request;
  const peer = socket.remoteAddress;
  const runtime = services.runtime();
  // A draining proxy accepts calls but no WebSockets, because a WebSocket does not end by itself.
  const { key, refusal } = services.isDraining()
    ? { refusal: "stopping" as const }
    : admit(toArrival(request), route, runtime, services);
  if (refusal !== undefined)
    return createRefusal(refusal, runtime.forwarding.host(peer, headers) ?? headers.host);
  return services.connections.isAbove(socket) ? createConnectionLimitError() : { key };
}

function toArrival({ method = "GET", url = "", headers, rawHeaders, socket }: IncomingMessage): Arrival {
  return { method, url, path: getPath(url), peer: socket.remoteAddress, headers, rawHeaders };
}

function reject(socket: Duplex, error: ProxyError, route: Route | undefined, services: Services): void {
  const dialect = route !== undefined && isModelDialect(route) ? route.dialect : "responses";
  const body = services.runtime().redact(encodeProxyError(dialect, error, services.nextRequestId()));
  const { status } = error;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(error.retryAfterSeconds === undefined ? [] : [`Retry-After: ${error.retryAfterSeconds}`]),
    ...(error.isFinal ? ["X-Should-Retry: false"] : []),
    ...(status === 401 ? ['WWW-Authenticate: Bearer realm="sallyport"'] : []),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
