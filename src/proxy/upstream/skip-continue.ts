import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** The beginning of an interim response: x stands for 0 or 1, d for a digit. */
const START = "HTTP/1.x 1dd";
const STATUS_AT = START.indexOf("1dd");
/** Maximum bytes of an interim response; the pools set the same limit for other response heads. */
const MAX_HEAD = 65_536;

/**
 * Returns a connector whose sockets skip `100 Continue` before a response, also after other interim responses. Clients
 * must accept interim responses that they did not request (RFC 9110, section 15.2), but undici closes the connection on
 * `100 Continue`.
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
   * Whether a request was written and no final response has been read. Only then is a `100 Continue` searched for,
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
      const { passed, pending } = withoutContinue(kept === undefined ? chunk : Buffer.concat([kept, chunk]));
      isHeadDue = pending !== undefined;
      kept = pending !== undefined && pending.length > 0 ? pending : undefined;
      if (passed.length > 0) return passed;
    }
  };
  return socket;
}

interface Heads {
  /** The bytes for undici. */
  readonly passed: Buffer;
  /** Bytes after `passed` that may begin an interim response; undefined if the final response has begun. */
  readonly pending: Buffer | undefined;
}

function withoutContinue(bytes: Buffer): Heads {
  const passed: Buffer[] = [];
  for (let rest = bytes; ; ) {
    const status = readInterimStatus(rest);
    if (status === undefined) return { passed: join([...passed, rest]), pending: undefined };
    const end = status === "" ? -1 : rest.indexOf("\r\n\r\n");
    if (end < 0 && rest.length > MAX_HEAD) return { passed: join([...passed, rest]), pending: undefined };
    if (end < 0) return { passed: join(passed), pending: rest };
    if (status !== "100") passed.push(rest.subarray(0, end + 4));
    rest = rest.subarray(end + 4);
  }
}

function join(parts: readonly Buffer[]): Buffer {
  const [first, ...others] = parts;
  return first !== undefined && others.length === 0 ? first : Buffer.concat(parts);
}

/**
 * Returns the status of the interim response at the beginning, or an empty text if more bytes are needed. Returns
 * undefined for a final response. `101 Switching Protocols` counts as final, because data other than HTTP follows it.
 */
function readInterimStatus(bytes: Buffer): string | undefined {
  // This check suffices for almost every response and creates no string (bench/proxy/cost.mjs).
  if (bytes.length > STATUS_AT && bytes[STATUS_AT] !== START.charCodeAt(STATUS_AT)) return undefined;
  const text = bytes.toString("latin1", 0, START.length + 1);
  if ([...text].some((character, index) => !matchesStart(character, index))) return undefined;
  if (text.length <= START.length) return "";
  const status = text.slice(STATUS_AT, START.length);
  return status === "101" ? undefined : status;
}

function matchesStart(character: string, index: number): boolean {
  const expected = START[index];
  if (expected === undefined) return character === " " || character === "\r";
  if (expected === "x") return character === "0" || character === "1";
  return expected === "d" ? character >= "0" && character <= "9" : character === expected;
}
