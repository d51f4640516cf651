import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** The beginning of every `100 Continue`; x stands for 0 or 1. */
const START = "HTTP/1.x 100";
const STATUS_AT = START.indexOf("100");
/** Maximum bytes of a `100 Continue`; the pools set the same limit for other response heads. */
const MAX_HEAD = 65_536;

/**
 * Returns a connector whose sockets skip `100 Continue` before a response. Clients must accept interim responses that
 * they did not request (RFC 9110, section 15.2). undici accepts all of them except `100 Continue`, on which it closes
 * the connection.
 */
export function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      // On an error, undici calls back without a socket.
      if (error) callback(error, null);
      else callback(null, skipContinue(socket));
    });
}

/** Replaces the socket's `read` and `write`. A stream in between would add a cost to each chunk of every response. */
function skipContinue<Connected extends Socket>(socket: Connected): Connected {
  const read = socket.read.bind(socket);
  const write = socket.write;
  /**
   * Whether a request was written and none of its response has been read. Only then is a `100 Continue` searched for,
   * because the body of a response may contain the same text.
   */
  let isHeadDue = false;
  let kept: Buffer | undefined;
  socket.write = (...parameters: unknown[]) => {
    isHeadDue = true;
    return Reflect.apply(write, socket, parameters);
  };
  socket.read = (size?: number) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || !isHeadDue) return chunk;
      const rest = withoutContinue(kept === undefined ? chunk : Buffer.concat([kept, chunk]));
      isHeadDue = rest.isOpen;
      kept = rest.isOpen && rest.bytes.length > 0 ? rest.bytes : undefined;
      if (!rest.isOpen) return rest.bytes;
    }
  };
  return socket;
}

interface Rest {
  readonly bytes: Buffer;
  /** Whether more bytes are needed to decide. */
  readonly isOpen: boolean;
}

function withoutContinue(bytes: Buffer): Rest {
  if (!beginsWithStart(bytes)) return { bytes, isOpen: false };
  const end = bytes.length < START.length ? -1 : bytes.indexOf("\r\n\r\n");
  if (end >= 0) return withoutContinue(bytes.subarray(end + 4));
  return { bytes, isOpen: bytes.length <= MAX_HEAD };
}

/** Returns whether the bytes can be the beginning of a `100 Continue`. Empty bytes can. */
function beginsWithStart(bytes: Buffer): boolean {
  // This check suffices for almost every response and creates no string (bench/proxy/cost.mjs).
  if (bytes.length > STATUS_AT && bytes[STATUS_AT] !== START.charCodeAt(STATUS_AT)) return false;
  const text = bytes.toString("latin1", 0, START.length).replace(/(?<=^HTTP\/1\.)[01]/, "x");
  return START.startsWith(text) && /^[ \r]?$/.test(bytes.toString("latin1", START.length, START.length + 1));
}
