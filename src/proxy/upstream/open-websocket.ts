import { ping, WebSocket } from "undici";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { parseBaseUrl } from "./clients.ts";
import type { Pools } from "./pools.ts";
import { isSigned, signRequest } from "./sign-in/sign-in.ts";

/** A WebSocket to an upstream. */
export interface UpstreamWebSocket {
  /** The protocol that the upstream has chosen; empty for none. */
  readonly protocol: string;
  /** Bytes that have been queued but not sent yet. */
  readonly bufferedAmount: number;
  send(data: string | Buffer): void;
  ping(): void;
  close(code: number, reason: string): void;
}

export interface WebSocketRequest {
  /** The path from the root, with its query. */
  readonly path: string;
  /** Flat list of names and values. */
  readonly headers: readonly string[];
  readonly protocols: readonly string[];
}

/** Receives the messages of an upstream, and the end of the connection. */
export interface WebSocketEvents {
  onMessage(data: string | Buffer): void;
  onClose(code: number, reason: string): void;
}

/**
 * Opens a WebSocket to an upstream, and signs its request if the upstream requires it. Rejects with `validation` if a
 * protocol is invalid or repeated, and with `upstream_unreachable` or `upstream_timeout` if the proxy cannot sign in or
 * the upstream does not accept the WebSocket.
 */
export async function openWebSocket(
  pools: Pools,
  upstream: UpstreamConfig,
  { path, headers: list, protocols }: WebSocketRequest,
  events: WebSocketEvents,
): Promise<UpstreamWebSocket> {
  const { name, baseUrl, timeouts } = upstream;
  const { origin } = parseBaseUrl(baseUrl);
  const headers = toHeaders(list);
  if (isSigned(upstream)) {
    const unsigned = { method: "GET", url: new URL(`${origin}${path}`), headers, body: Buffer.alloc(0) };
    Object.assign(headers, toHeaders((await signRequest(upstream, unsigned)).headers));
  }
  const socket = createSocket(`${origin.replace(/^http/, "ws")}${path}`, {
    dispatcher: pools.get(origin, timeouts.connectMs),
    headers,
    protocols: [...protocols],
  });
  socket.binaryType = "arraybuffer";
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const timer =
      timeouts.connectMs > 0
        ? setTimeout(() => {
            reject(
              new AppError(
                "upstream_timeout",
                `The upstream ${name} did not open a WebSocket within ${timeouts.connectMs / 1000} s`,
              ),
            );
            socket.close();
          }, timeouts.connectMs)
        : undefined;
    socket.addEventListener("open", () => {
      clearTimeout(timer);
      isOpen = true;
      resolve({
        get protocol() {
          return socket.protocol;
        },
        get bufferedAmount() {
          return socket.bufferedAmount;
        },
        send: (data) => socket.send(data),
        ping: () => ping(socket),
        close: (code, reason) => socket.close(isValidCode(code) ? code : undefined, reason),
      });
    });
    socket.addEventListener("message", ({ data }) =>
      events.onMessage(typeof data === "string" ? data : Buffer.from(data as ArrayBuffer)),
    );
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", ({ code, reason }) => {
      clearTimeout(timer);
      if (isOpen) events.onClose(code, reason);
      else reject(new AppError("upstream_unreachable", `Cannot open a WebSocket to the upstream ${name}`));
    });
  });
}

/** Creates a WebSocket. Throws `validation` for protocols that the WebSocket standard does not allow. */
function createSocket(...options: ConstructorParameters<typeof WebSocket>): WebSocket {
  try {
    return new WebSocket(...options);
  } catch (cause) {
    throw new AppError(
      "validation",
      "Cannot open the WebSocket: a protocol in Sec-WebSocket-Protocol is invalid or repeated. Send each protocol once.",
      { cause },
    );
  }
}

/** Returns the headers of a flat list by name, without those that describe a body. */
function toHeaders(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = list[index] ?? "";
    if (!OF_MESSAGES.test(name)) headers[name] = list[index + 1] ?? "";
  }
  return headers;
}

const OF_MESSAGES = /^(?:content-|accept-encoding$|host$)/i;

/** Returns whether `WebSocket.close` accepts a close code. https://websockets.spec.whatwg.org/#dom-websocket-close */
function isValidCode(code: number): boolean {
  return code === 1000 || (code >= 3000 && code <= 4999);
}
