import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import { firstUsage, lastUsage, usageFrom } from "./read-usage.ts";

const HEAD = 8 * 1024;
const TAIL = 16 * 1024;
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

/**
 * Holds on to the first and the last bytes only, however long the stream, and looks into them when it is asked: most
 * streams end in the last bytes, so that nothing has to be searched as it passes by.
 */
export function createStreamWatch(dialect: Dialect): StreamWatch {
  const head: Buffer[] = [];
  // Only messages streams tell usage at their beginning.
  let headLeft = dialect === "messages" ? HEAD : 0;
  let tail: Buffer[] = [];
  let tailSize = 0;
  let endedEarlier = false;

  const lastBytes = (): Buffer => {
    if (tail.length !== 1) tail = [Buffer.concat(tail)];
    return tail[0] ?? NOTHING;
  };
  const letGo = () => {
    const bytes = lastBytes();
    // A sign across the cut is still whole in what is kept.
    endedEarlier ||= hasSign(dialect, bytes.subarray(0, -TAIL + LONGEST_SIGN));
    tail = [bytes.subarray(-TAIL)];
    tailSize = TAIL;
  };
  return {
    get ended() {
      return endedEarlier || hasSign(dialect, lastBytes());
    },
    get betweenEvents() {
      return tailSize === 0 || endsEvent(lastBytes());
    },
    push(chunk) {
      if (headLeft > 0) {
        head.push(chunk);
        headLeft -= chunk.length;
      }
      tail.push(chunk);
      tailSize += chunk.length;
      if (tailSize > 2 * TAIL) letGo();
    },
    usage() {
      const last = lastUsage(dialect, lastBytes().toString("latin1"));
      if (dialect !== "messages") return usageFrom(dialect, last);
      const first = firstUsage(Buffer.concat(head).toString("latin1"));
      return usageFrom(dialect, first === undefined ? last : { ...Object(first), ...Object(last) });
    },
  };
}

const NOTHING = Buffer.alloc(0);

/** From the end, where it usually is. */
function hasSign(dialect: Dialect, bytes: Buffer): boolean {
  return SIGNS[dialect].some((sign) => bytes.lastIndexOf(sign) >= 0);
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
