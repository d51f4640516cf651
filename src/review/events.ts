import { Readable } from "node:stream";
import { keepAliveComment, serializeLine } from "../sse/serialize.ts";
import type { CallerDoubt, ReviewEvent } from "./api-types.ts";
import type { DecisionSource } from "./decision.ts";

/** The open event streams of a review's pages. */
export interface EventHub {
  /** Sends an event to every page, preceded by `decided-by-program` if a program caused it. */
  send(event: ReviewEvent, from?: DecisionSource): void;
  /** Why the agent might not read the decision; undefined until a `caller-doubtful` event is sent. */
  readonly doubt: CallerDoubt | undefined;
  readonly isConnected: boolean;
  /** Whether a page is connected or was in the last 3 s: a page that reloads connects again. */
  readonly wasConnectedLately: boolean;
  /** Returns a promise that resolves to true once a page connects, or to false after `time` milliseconds. */
  connectedWithin(time: number): Promise<boolean>;
  /** Opens a stream. It starts with `hello` and ends when the page disconnects or the review ends. */
  open(): Readable;
  /** Ends every stream. Pages that disconnect after this do not count as deserting the review. */
  close(): void;
}

const KEEP_ALIVE_MS = 15_000;

/** Milliseconds in which a page that reloads connects again. */
const RELOAD_MS = 3_000;

/**
 * Creates the event hub of a review. Calls `onDeserted` when the last page has disconnected and none has connected
 * again within 3 s. Stream format: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function createEventHub(sessionId: string, onDeserted: () => void = () => {}): EventHub {
  const streams = new Set<Readable>();
  const keepAlive = setInterval(() => push(keepAliveComment), KEEP_ALIVE_MS);
  keepAlive.unref();
  let desertion: NodeJS.Timeout | undefined;
  let doubt: Extract<ReviewEvent, { event: "caller-doubtful" }> | undefined;
  let isOver = false;
  let lastConnected = Number.NEGATIVE_INFINITY;
  /** Calls of `connectedWithin` that wait for a page. */
  const waiting = new Set<() => void>();
  const left = (stream: Readable) => {
    streams.delete(stream);
    lastConnected = performance.now();
    if (streams.size === 0 && !isOver) desertion = setTimeout(onDeserted, RELOAD_MS).unref();
  };
  const push = (text: string) => {
    for (const stream of streams) stream.push(text);
  };
  return {
    send(event, from) {
      if (from === "program") push(serialize({ event: "decided-by-program" }));
      if (event.event === "caller-doubtful") doubt = event;
      push(serialize(event));
    },
    get doubt() {
      return doubt?.doubt;
    },
    get isConnected() {
      return streams.size > 0;
    },
    get wasConnectedLately() {
      return streams.size > 0 || performance.now() - lastConnected < RELOAD_MS;
    },
    connectedWithin(time) {
      if (streams.size > 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const finish = (isThere: boolean) => {
          clearTimeout(timer);
          waiting.delete(onConnected);
          resolve(isThere);
        };
        const onConnected = () => finish(true);
        const timer = setTimeout(() => finish(false), time).unref();
        waiting.add(onConnected);
      });
    },
    open() {
      for (const onConnected of waiting) onConnected();
      const stream = new Readable({ read() {} });
      clearTimeout(desertion);
      streams.add(stream);
      stream.once("close", () => left(stream));
      stream.push(serialize({ event: "hello", sessionId }));
      if (doubt) stream.push(serialize(doubt));
      return stream;
    },
    close() {
      isOver = true;
      clearTimeout(desertion);
      clearInterval(keepAlive);
      for (const stream of streams) stream.push(null);
    },
  };
}

function serialize({ event, ...data }: ReviewEvent): string {
  return serializeLine(JSON.stringify(data), event);
}
