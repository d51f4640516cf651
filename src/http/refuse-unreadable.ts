import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { systemErrorCode } from "../errors.ts";
import { CONNECTION_LIMITS } from "./connection-limits.ts";

/** Maximum time for which a connection stays open for the client to read the response, in milliseconds. */
const LINGER_MS = 10_000;
const MAX_HEADERS = `${CONNECTION_LIMITS.maxHeaderSize / 1024} KiB`;

const refused = new WeakSet<Socket>();

/**
 * Responds to a request that Node.js could not parse or that took too long, and closes the connection. The client's
 * remaining data is read and discarded first: closing a socket with unread data resets the connection, and the client
 * loses the response (RFC 9112, section 9.6). Use it as the handler of a server's `clientError` event.
 */
export function refuseUnreadable(error: Error, socket: Socket): void {
  // The parser reports an error for all further data too.
  if (socket.destroyed || refused.has(socket)) return;
  if (isUnusable(error) || !socket.writable) {
    socket.destroy(error);
    return;
  }
  refused.add(socket);
  const isResponded = hasResponse(socket);
  // A client that has ended its side sends no more data that could reset the connection.
  if (isResponded && socket.readableEnded) socket.destroy(error);
  else discard(socket);
  if (!isResponded) socket.end(formatRejection(error), "latin1");
}

/**
 * Returns whether nothing can be sent: the connection was reset, or the TLS handshake failed, for example
 * because the client sent plain HTTP.
 */
function isUnusable(error: Error): boolean {
  return /^(?:ECONNRESET|EPROTO|ERR_(?:SSL|TLS)_.*)$/.test(systemErrorCode(error) ?? "");
}

/**
 * Reads and discards data until the client closes the connection. Destroys the connection after LINGER_MS at the
 * latest.
 */
function discard(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
  socket.once("end", () => socket.destroySoon());
  // The parser has finished with this connection and must not receive more data.
  socket.removeAllListeners("data");
  socket.on("data", () => {});
  socket.resume();
}

/** Returns whether a response has begun: the client would treat a second one as the response to another request. */
function hasResponse(socket: Socket): boolean {
  // Node.js has no public API from a socket to its response; its default handler uses the same member.
  const response: unknown = Reflect.get(socket, "_httpMessage");
  return typeof response === "object" && response !== null && Reflect.get(response, "headersSent") === true;
}

function formatRejection(error: Error): string {
  const [status, message] = REFUSALS[systemErrorCode(error) ?? ""] ?? MALFORMED;
  const body = JSON.stringify({ error: message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    `Content-Length: ${body.length}`,
    "Content-Type: application/json; charset=utf-8",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

const MALFORMED: readonly [number, string] = [400, "The request is not valid HTTP/1.1."];
const REFUSALS: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive."],
  HPE_HEADER_OVERFLOW: [431, `The request line and headers are larger than ${MAX_HEADERS}.`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions are larger than 16 KiB."],
};
