import { crc32 } from "node:zlib";

/** A message of AWS's event-stream encoding. */
export interface StreamMessage {
  /** The headers whose values are text. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** Bytes of the prelude: total length, length of the headers, and checksum. */
const PRELUDE = 12;
/** Bytes of the checksum at the end of a message. */
const CHECKSUM = 4;
const MAX_MESSAGE = 24 * 1024 * 1024;
const TEXT = 7;
/** Bytes of header values with a fixed length, by type. */
const FIXED: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/**
 * Decodes AWS's event-stream encoding (`application/vnd.amazon.eventstream`) as it arrives.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export class EventStreamDecoder {
  /** The bytes that have not been decoded. They are joined only once a prelude or a message is complete. */
  private pieces: Buffer[] = [];
  private length = 0;
  /** The number of undecoded bytes at which decoding continues. */
  private needed = PRELUDE;

  /** Adds bytes and returns the messages that they complete. Throws if a checksum or a length is wrong. */
  push(bytes: Buffer): StreamMessage[] {
    if (bytes.length === 0) return [];
    this.pieces.push(bytes);
    this.length += bytes.length;
    if (this.length < this.needed) return [];
    let rest = this.pieces.length === 1 ? bytes : Buffer.concat(this.pieces, this.length);
    const messages: StreamMessage[] = [];
    this.needed = PRELUDE;
    while (rest.length >= PRELUDE) {
      const total = readTotal(rest);
      if (rest.length < total) {
        this.needed = total;
        break;
      }
      messages.push(decodeMessage(rest.subarray(0, total)));
      rest = rest.subarray(total);
    }
    this.pieces = rest.length === 0 ? [] : [rest];
    this.length = rest.length;
    return messages;
  }

  /** Whether the stream ends between two messages. */
  get isComplete(): boolean {
    return this.length === 0;
  }
}

/** Returns the length of the message that begins with this prelude. Throws if the length or the checksum is wrong. */
function readTotal(bytes: Buffer): number {
  const total = bytes.readUInt32BE(0);
  if (total < PRELUDE + CHECKSUM || total > MAX_MESSAGE) throw new Error("invalid length of a message");
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw new Error("invalid checksum");
  return total;
}

function decodeMessage(message: Buffer): StreamMessage {
  const end = message.length - CHECKSUM;
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) throw new Error("invalid checksum");
  const payloadAt = PRELUDE + message.readUInt32BE(4);
  if (payloadAt > end) throw new Error("invalid length of headers");
  return {
    headers: decodeHeaders(message.subarray(PRELUDE, payloadAt)),
    payload: message.subarray(payloadAt, end),
  };
}

function decodeHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString("utf8", at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    const fixed = FIXED[type];
    const valueAt = nameEnd + (fixed === undefined ? 3 : 1);
    const length = fixed ?? bytes.readUInt16BE(nameEnd + 1);
    if (type === TEXT) headers[name] = bytes.toString("utf8", valueAt, valueAt + length);
    at = valueAt + length;
  }
  return headers;
}

/** Encodes a message whose headers have text values. */
export function encodeStreamMessage({ headers, payload }: StreamMessage): Buffer {
  const head = Buffer.concat(Object.entries(headers).flatMap(([name, value]) => encodeHeader(name, value)));
  const message = Buffer.alloc(PRELUDE + head.length + payload.length + CHECKSUM);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, PRELUDE);
  payload.copy(message, PRELUDE + head.length);
  const end = message.length - CHECKSUM;
  message.writeUInt32BE(crc32(message.subarray(0, end)), end);
  return message;
}

function encodeHeader(name: string, value: string): Buffer[] {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return [Buffer.from([nameBytes.length]), nameBytes, Buffer.from([TEXT]), length, valueBytes];
}
