import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** What every `100 Continue` begins with; x is 0 or 1. */
const START = "HTTP/1.x 100";
/** Bytes that one may take; undici refuses longer heads of other responses, too. */
const MAX_HEAD = 65_536;

/**
 * Returns a connector whose sockets skip `100 Continue` before a response. Clients must accept interim responses that they
 * did not ask for (RFC 9110, section 15.2); undici passes on all of them but this one, at which it closes the connection.
 */
export function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      // Where there is an error, undici leaves the socket out.
      if (error) callback(error, null);
      else callback(null, skipContinue(socket));
    });
}

/** Changes the socket's own methods: a stream in between would cost each chunk of every answer. */
function skipContinue<Connected extends Socket>(socket: Connected): Connected {
  const read = socket.read.bind(socket);
  const write = socket.write;
  /** A request was written, and nothing of its response has been read. Bodies may hold the same text. */
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
  /** Whether more has to come before it is known what this is. */
  readonly isOpen: boolean;
}

function withoutContinue(bytes: Buffer): Rest {
  if (!beginsWithStart(bytes)) return { bytes, isOpen: false };
  const end = bytes.length < START.length ? -1 : bytes.indexOf("\r\n\r\n");
  if (end >= 0) return withoutContinue(bytes.subarray(end + 4));
  return { bytes, isOpen: bytes.length <= MAX_HEAD };
}

/** Whether these are the first bytes of a `100 Continue`, or nothing yet. */
function beginsWithStart(bytes: Buffer): boolean {
  const text = bytes.toString("latin1", 0, START.length).replace(/(?<=^HTTP\/1\.)[01]/, "x");
  return START.startsWith(text) && /^[ \r]?$/.test(bytes.toString("latin1", START.length, START.length + 1));
}
