import type { IncomingMessage } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { getPath } from "../../http/request-path.ts";
import { encodeProxyError, type ProxyError } from "../dialect-errors.ts";
import { type Route, routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { admit, type RefusalReason } from "./admission.ts";
import type { ResponsesWebSockets } from "./responses-websocket.ts";

/** Routes that accept a WebSocket, by path. */
const upgradable = new Map(
  routes.filter(({ operation }) => operation === "websocket").map((route) => [route.path, route] as const),
);

/** Returns whether a request asks for a WebSocket on a route that accepts one. */
export function isWebSocketRequest({ method, headers, url = "" }: IncomingMessage): boolean {
  return method === "GET" && /^websocket$/i.test(headers.upgrade ?? "") && upgradable.has(getPath(url));
}

/** The WebSockets of a proxy. */
export interface Upgrades {
  /** Ends idle connections at once, the others after their running response. */
  drain(): void;
  stop(): void;
}

/**
 * Serves WebSocket upgrades, with the same admission as requests over HTTP. The library for WebSockets is loaded with
 * the first one.
 */
export function serveUpgrades(app: FastifyInstance, services: Services): Upgrades {
  let loading: Promise<ResponsesWebSockets> | undefined;
  let sockets: ResponsesWebSockets | undefined;
  const load = async () => {
    const module = await import("./responses-websocket.ts");
    sockets = new module.ResponsesWebSockets(services);
    return sockets;
  };
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const route = upgradable.get(getPath(request.url ?? ""));
    const rejection = route === undefined ? NOT_FOUND : check(request, route, services);
    if (rejection !== undefined) {
      reject(socket, rejection, services);
      return;
    }
    loading ??= load();
    loading.then(
      (loaded) => loaded.accept(request, socket, head),
      () => socket.destroy(),
    );
  });
  return {
    drain: () => sockets?.drain(),
    stop: () => sockets?.stop(),
  };
}

const NOT_FOUND: ProxyError = { status: 404, code: "not_found", message: "Unknown path" };

const REJECTIONS: Readonly<Record<RefusalReason, ProxyError>> = {
  stopping: { status: 503, code: "overloaded", message: "The proxy is stopping" },
  host: { status: 403, code: "forbidden", message: "Host header not allowed" },
  page: {
    status: 403,
    code: "forbidden",
    message: "This request comes from a web page. List its origin in proxy.allowed_origins, or send a key.",
  },
  key: { status: 401, code: "unauthorized", message: "A valid API key of this proxy is needed" },
  role: { status: 403, code: "forbidden", message: "This key's role does not allow this request" },
  loop: { status: 508, code: "loop", message: "This call has passed through this proxy before" },
};

/** Runs admission; returns the error with which the upgrade is rejected. */
function check(request: IncomingMessage, route: Route, services: Services): ProxyError | undefined {
  const { method = "GET", url = "", headers, rawHeaders, socket } = request;
  const peer = socket.remoteAddress;
  const arrival = { method, url, path: getPath(url), peer, headers, rawHeaders };
  const { refusal } = admit(arrival, route, services.runtime(), services);
  return refusal === undefined ? undefined : REJECTIONS[refusal];
}

function reject(socket: Duplex, rejection: ProxyError, services: Services): void {
  const body = encodeProxyError("responses", rejection, services.nextRequestId());
  const { status } = rejection;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 401 ? ['WWW-Authenticate: Bearer realm="sallyport"'] : []),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
