import type { IncomingHttpHeaders } from "node:http";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { AppError } from "../../errors.ts";
import { parseContentCoding } from "../body/content-coding.ts";
import { readWhole } from "../body/read-whole.ts";
import { limitInterim, limitWait } from "./limit-wait.ts";
import type { CancelSignal } from "./relay-task.ts";
import { clientDisconnected, toUpstreamError } from "./upstream-errors.ts";

/** A request to an upstream. The proxy reads the response itself instead of relaying it. */
export interface UpstreamSend {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Flat list of names and values. */
  readonly headers: readonly string[];
  readonly body: string | Buffer | null;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly signal?: CancelSignal | undefined;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The decoded body. The upstream is paused while too many chunks wait to be read. */
  readonly body: AsyncIterable<Buffer>;
}

/** Chunks that may wait for the reader before the upstream is paused. */
const WAITING = 16;

/**
 * Sends a request and resolves when the head of the response has arrived. On a failure, the promise rejects with an
 * `AppError`, or reading the body throws one.
 */
export function sendUpstream(
  pool: Pick<Dispatcher, "dispatch">,
  upstream: string,
  request: UpstreamSend,
): Promise<ReceivedResponse> {
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

/** Reads a whole body as text. Throws `upstream_invalid` if it exceeds `limit` bytes. */
export async function readText(
  response: ReceivedResponse,
  upstream: string,
  limit = 16 * 1024 * 1024,
): Promise<string> {
  const bytes = await readWhole(response.body, limit);
  if (bytes === undefined)
    throw new AppError(
      "upstream_invalid",
      `The upstream ${upstream} returned a response larger than ${limit / 1024 ** 2} MiB`,
    );
  return bytes.toString("utf8");
}

interface Reading {
  readonly resolve: (step: IteratorResult<Buffer>) => void;
  readonly reject: (error: AppError) => void;
}

class Receiver implements Dispatcher.DispatchHandler {
  private readonly upstream: string;
  private readonly firstByteMs: number;
  private readonly startedAt = performance.now();
  private readonly signal: CancelSignal | undefined;
  private readonly resolve: (response: ReceivedResponse) => void;
  private readonly reject: (error: AppError) => void;
  private readonly onAbort = () => this.abort();
  private readonly chunks: Buffer[] = [];
  private controller: Dispatcher.DispatchController | undefined;
  private begun = false;
  private ended = false;
  private error: AppError | undefined;
  private isPaused = false;
  /** The pending read, if any. */
  private waiting: Reading | undefined;

  constructor(
    upstream: string,
    { signal, firstByteMs }: UpstreamSend,
    resolve: (response: ReceivedResponse) => void,
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
    if (this.chunks.length >= WAITING && !this.isPaused) {
      this.isPaused = true;
      controller.pause();
    }
    this.wake();
  }

  onResponseEnd(): void {
    this.ended = true;
    this.settle();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.error = toUpstreamError(error, this.upstream, this.begun);
    if (!this.begun) this.reject(this.error);
    this.settle();
  }

  /**
   * Returns an iterable of the chunks as they arrive. It is not an async generator, because that would delay every
   * chunk by several microtasks.
   */
  private read(): AsyncIterable<Buffer> {
    const iterator: AsyncIterator<Buffer> = {
      next: () => new Promise((resolve, reject) => this.give({ resolve, reject })),
      return: () => {
        // Called if the reader stops early.
        if (!this.ended && !this.error) this.controller?.abort(clientDisconnected());
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }

  private give(reading: Reading): void {
    const [first, ...more] = this.chunks.splice(0);
    if (first !== undefined) {
      if (this.isPaused) this.controller?.resume();
      this.isPaused = false;
      reading.resolve({ done: false, value: more.length === 0 ? first : Buffer.concat([first, ...more]) });
    } else if (this.error) reading.reject(this.error);
    else if (this.ended) reading.resolve({ done: true, value: undefined });
    else this.waiting = reading;
  }

  /**
   * Resolves the pending read after all chunks of one packet have arrived, so that they are translated and written
   * together.
   */
  private wake(): void {
    const reading = this.waiting;
    this.waiting = undefined;
    if (reading !== undefined) queueMicrotask(() => this.give(reading));
  }

  onWaitOver(error: AppError): void {
    if (!this.begun) this.abort(error);
  }

  private abort(error = clientDisconnected()): void {
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

/**
 * Decodes a body as it arrives. Throws `upstream_invalid` if the content coding is unknown. Reading the result throws
 * `upstream_invalid` if the body does not match its content coding.
 */
function decoded(
  body: AsyncIterable<Buffer>,
  encoding: string | string[] | undefined,
  upstream: string,
): AsyncIterable<Buffer> {
  const coding = parseContentCoding(encoding?.toString());
  if (coding === undefined) return body;
  const decoder = createDecoder(coding);
  if (!decoder)
    throw new AppError("upstream_invalid", `The upstream ${upstream} used an unknown content encoding`);
  return throughDecoder(body, decoder, upstream);
}

async function* throughDecoder(
  body: AsyncIterable<Buffer>,
  decoder: Transform,
  upstream: string,
): AsyncGenerator<Buffer> {
  const source = Readable.from(body);
  // `pipeline` also ends the source if the reader stops early.
  pipeline(source, decoder, () => {});
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      "upstream_invalid",
      `The upstream ${upstream} returned a body that does not match its content encoding`,
      {
        cause: error,
      },
    );
  }
}

function createDecoder(encoding: string) {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "deflate") return createInflate();
  return encoding === "br" ? createBrotliDecompress() : undefined;
}
