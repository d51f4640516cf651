import type { IncomingMessage } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../errors.ts";
import { getPath } from "../../http/request-path.ts";
import { encodeProxyError, toProxyError } from "../dialect-errors.ts";
import { type Route, routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { admit, createRefusal } from "./admission.ts";
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
    const rejection =
      route === undefined ? new AppError("not_found", "Unknown path") : check(request, route, services);
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

/** Runs admission; returns the error with which the upgrade is rejected. */
function check(request: IncomingMessage, route: Route, services: Services): AppError | undefined {
  const { method = "GET", url = "", headers, rawHeaders, socket } = request;
  const peer = socket.remoteAddress;
  const runtime = services.runtime();
  const arrival = { method, url, path: getPath(url), peer, headers, rawHeaders };
  const { refusal } = admit(arrival, route, runtime, services);
  if (refusal === undefined) return undefined;
  return createRefusal(refusal, runtime.forwarding.host(peer, headers) ?? headers.host);
}

function reject(socket: Duplex, rejection: AppError, services: Services): void {
  const body = encodeProxyError("responses", toProxyError(rejection), services.nextRequestId());
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
