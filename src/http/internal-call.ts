import { type IncomingHttpHeaders, type IncomingMessage, request, type Server } from "node:http";
import { Server as HttpsServer } from "node:https";
import { type Duplex, duplexPair } from "node:stream";

/** A request that the proxy sends to itself on behalf of a client. */
export interface InternalCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  /**
   * The headers of the client's own request. Those that describe its connection, its body or the accepted responses are
   * left out.
   */
  readonly headers: IncomingHttpHeaders;
  /** The client's address. */
  readonly peer: string | undefined;
  readonly body: string | Buffer;
  /** Aborts the request, as if the client had disconnected. */
  readonly signal?: AbortSignal | undefined;
}

const NOT_PASSED = new Set([
  "connection",
  "upgrade",
  "transfer-encoding",
  "content-length",
  "content-type",
  "content-encoding",
  "accept",
  "accept-encoding",
  "expect",
  "te",
  "trailer",
]);

/**
 * Sends a request to a server over a connection in memory. The request goes through the same steps as one from outside:
 * admission with the client's key, limits, routing and recording. Resolves with the response; rejects if the request is
 * aborted or the connection fails.
 */
export function sendInternally(
  server: Server | HttpsServer,
  { method, path, headers, peer, body, signal }: InternalCall,
): Promise<IncomingMessage> {
  const passed = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !NOT_PASSED.has(name) && !name.startsWith("sec-websocket-"),
  );
  const own = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        method,
        path,
        headers: { ...Object.fromEntries(passed), ...own },
        setHost: false,
        signal,
        // No agent is used, because it would ignore this function.
        createConnection: () => connectInMemory(server, peer),
      },
      resolve,
    );
    sent.once("error", reject);
    sent.end(body);
  });
}

/**
 * Opens a connection to the server without a socket; `node:http` accepts any duplex stream as one.
 * https://nodejs.org/api/http.html#event-connection
 */
function connectInMemory(server: Server | HttpsServer, peer: string | undefined): Duplex {
  const [ours, theirs] = duplexPair();
  Object.defineProperty(theirs, "remoteAddress", { value: peer });
  // An HTTPS server accepts streams without TLS through the event that it emits after a handshake.
  server.emit(server instanceof HttpsServer ? "secureConnection" : "connection", theirs);
  // Each side ends the other, as the ends of a socket do.
  ours.once("close", () => theirs.destroy());
  theirs.once("close", () => ours.destroy());
  return ours;
}
