import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import { firstUsage, lastUsage, usageFrom } from "./read-usage.ts";

const HEAD = 8 * 1024;
const TAIL = 64 * 1024;
const LONGEST_SIGN = 32;

/**
 * What shows that a stream has come to its own end. Quoted names cannot stand inside a JSON string, and a line cannot
 * begin inside one, so that a model's words are never taken for these.
 */
const SIGNS: Record<Dialect, readonly Buffer[]> = {
  "chat-completions": chatSigns(),
  completions: chatSigns(),
  messages: buffers('"message_stop"', "event: error\n", "event: error\r", '"type":"error"'),
  responses: buffers(
    '"response.completed"',
    '"response.incomplete"',
    '"response.failed"',
    '"response.cancelled"',
    "event: error\n",
    "event: error\r",
  ),
  "generative-language": buffers('"finishReason"', '"blockReason"', 'data: {"error"', 'data:{"error"'),
};

/** Watches a stream go by: whether it ended, whether it stands between two events, what it says of usage. */
export interface StreamWatch {
  push(chunk: Buffer): void;
  /** Whether the dialect's own end was seen. */
  readonly ended: boolean;
  /** Whether an event of ours could be put here. */
  readonly betweenEvents: boolean;
  usage(): Usage | undefined;
}

/** Holds on to the first and the last bytes only, however long the stream. */
export function createStreamWatch(dialect: Dialect): StreamWatch {
  const signs = SIGNS[dialect];
  const head: Buffer[] = [];
  let headSize = 0;
  let tail: Buffer[] = [];
  let tailSize = 0;
  let ended = false;
  /** The last chunk, or, where that was small, as much before it as a sign may be long. */
  let lastBytes: Buffer | undefined;

  const hasSign = (bytes: Buffer) => signs.some((sign) => bytes.includes(sign));
  return {
    get ended() {
      return ended;
    },
    get betweenEvents() {
      return lastBytes === undefined || endsEvent(lastBytes);
    },
    push(chunk) {
      if (!ended) {
        ended = hasSign(chunk);
        // An event that was cut, in two or in many, may hide the sign at the cuts.
        if (!ended && lastBytes && !endsEvent(lastBytes))
          ended = hasSign(
            Buffer.concat([lastBytes.subarray(-LONGEST_SIGN), chunk.subarray(0, LONGEST_SIGN)]),
          );
      }
      if (headSize < HEAD) {
        head.push(chunk);
        headSize += chunk.length;
      }
      tail.push(chunk);
      tailSize += chunk.length;
      if (tailSize > 2 * TAIL) {
        tail = [Buffer.concat(tail).subarray(-TAIL)];
        tailSize = TAIL;
      }
      lastBytes =
        chunk.length >= LONGEST_SIGN || !lastBytes
          ? chunk
          : Buffer.concat([lastBytes.subarray(-LONGEST_SIGN), chunk]);
    },
    usage() {
      const last = lastUsage(dialect, Buffer.concat(tail).toString("latin1"));
      if (dialect !== "messages") return usageFrom(dialect, last);
      const first = firstUsage(Buffer.concat(head).toString("latin1"));
      return usageFrom(dialect, first === undefined ? last : { ...Object(first), ...Object(last) });
    },
  };
}

function endsEvent(bytes: Buffer): boolean {
  const last = bytes[bytes.length - 1];
  const before = bytes[bytes.length - 2];
  if (last === 0x0a) return before === 0x0a || (before === 0x0d && bytes[bytes.length - 3] === 0x0a);
  return last === 0x0d && before === 0x0d;
}

function chatSigns(): Buffer[] {
  return buffers(
    "data: [DONE]",
    "data:[DONE]",
    '"finish_reason":"',
    '"finish_reason": "',
    'data: {"error"',
    'data:{"error"',
  );
}

function buffers(...texts: string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text));
}
