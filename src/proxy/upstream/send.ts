import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { AppError } from "../../errors.ts";
import { decoded } from "./decoded.ts";
import { clientGone, upstreamFault } from "./upstream-errors.ts";
import { limitInterim, limitWait } from "./limit-wait.ts";

/** What tells that nobody waits for an answer any more: an `AbortSignal`, or something lighter that a call has. */
export interface Departure {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** One request to an upstream whose answer we read ourselves. */
export interface UpstreamSend {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Flat list. */
  readonly headers: readonly string[];
  readonly body: string | Buffer | null;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly signal?: Departure | undefined;
}

export interface ReceivedReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Uncompressed; reading slower than the upstream sends slows the upstream. */
  readonly body: AsyncIterable<Buffer>;
}

/** Chunks that may wait for the reader before the upstream is held. */
const WAITING = 16;

/** Sends and resolves with the head of the answer. Rejects with an `AppError`; so does reading a body that breaks. */
export function sendUpstream(
  pool: Dispatcher,
  upstream: string,
  request: UpstreamSend,
): Promise<ReceivedReply> {
  return new Promise((resolve, reject) => {
    const receiver = new Receiver(upstream, request, resolve, reject);
    const isFree = pool.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: [...request.headers],
        body: request.body,
        headersTimeout: request.firstByteMs,
        bodyTimeout: request.idleMs,
      },
      receiver,
    );
    if (!isFree) limitWait(receiver, upstream, request.firstByteMs);
  });
}

/** The whole body as text; more than `limit` bytes is an error. */
export async function readText(
  reply: ReceivedReply,
  upstream: string,
  limit = 16 * 1024 * 1024,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of reply.body) {
    size += chunk.length;
    if (size > limit)
      throw new AppError("upstream_invalid", `The upstream ${upstream} answered with too much`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** As much of a body as comes, `most` bytes at the most; one that breaks off is what came of it. */
export async function readBytes(body: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= most) break;
    }
  } catch {
    // The status says that it was refused.
  }
  return Buffer.concat(chunks);
}

interface Reading {
  readonly resolve: (step: IteratorResult<Buffer>) => void;
  readonly reject: (error: AppError) => void;
}

class Receiver implements Dispatcher.DispatchHandler {
  private readonly upstream: string;
  private readonly firstByteMs: number;
  private readonly startedAt = performance.now();
  private readonly signal: Departure | undefined;
  private readonly resolve: (reply: ReceivedReply) => void;
  private readonly reject: (error: AppError) => void;
  private readonly onAbort = () => this.abort();
  private readonly chunks: Buffer[] = [];
  private controller: Dispatcher.DispatchController | undefined;
  private begun = false;
  private ended = false;
  private error: AppError | undefined;
  private held = false;
  /** The reader that waits for more. */
  private waiting: Reading | undefined;

  constructor(
    upstream: string,
    { signal, firstByteMs }: UpstreamSend,
    resolve: (reply: ReceivedReply) => void,
    reject: (error: AppError) => void,
  ) {
    this.upstream = upstream;
    this.signal = signal;
    this.firstByteMs = firstByteMs;
    this.resolve = resolve;
    this.reject = reject;
    signal?.addEventListener("abort", this.onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.error) controller.abort(this.error);
    else if (this.signal?.aborted) this.abort();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) limitInterim(this, this.upstream, this.startedAt, this.firstByteMs);
    if (status < 200) return;
    const body = decoded(this.read(), headers["content-encoding"], this.upstream);
    this.begun = true;
    this.resolve({ status, headers, body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    if (this.chunks.length >= WAITING && !this.held) {
      this.held = true;
      controller.pause();
    }
    this.wake();
  }

  onResponseEnd(): void {
    this.ended = true;
    this.settle();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.error = upstreamFault(error, this.upstream, this.begun);
    if (!this.begun) this.reject(this.error);
    this.settle();
  }

  /** What has come, chunk by chunk. Generators do the same, and make every chunk wait for several more turns. */
  private read(): AsyncIterable<Buffer> {
    const iterator: AsyncIterator<Buffer> = {
      next: () => new Promise((resolve, reject) => this.give({ resolve, reject })),
      return: () => {
        // A reader that stops early wants no more of it.
        if (!this.ended && !this.error) this.controller?.abort(clientGone());
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }

  private give(reading: Reading): void {
    const [first, ...more] = this.chunks.splice(0);
    if (first !== undefined) {
      if (this.held) this.controller?.resume();
      this.held = false;
      reading.resolve({ done: false, value: more.length === 0 ? first : Buffer.concat([first, ...more]) });
    } else if (this.error) reading.reject(this.error);
    else if (this.ended) reading.resolve({ done: true, value: undefined });
    else this.waiting = reading;
  }

  /** All chunks of one packet come in one turn, and are given as one: what is made of them is written at once. */
  private wake(): void {
    const reading = this.waiting;
    this.waiting = undefined;
    if (reading !== undefined) queueMicrotask(() => this.give(reading));
  }

  onWaitOver(error: AppError): void {
    if (!this.begun) this.abort(error);
  }

  private abort(error = clientGone()): void {
    if (this.ended) return;
    this.error ??= error;
    if (!this.begun) this.reject(error);
    this.controller?.abort(error);
    this.settle();
  }

  private settle(): void {
    this.signal?.removeEventListener("abort", this.onAbort);
    this.wake();
  }
}
