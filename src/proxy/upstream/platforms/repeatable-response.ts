import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { ForwardingHandler } from "./forwarding-handler.ts";

/** A response that rejects a request. */
export interface RejectedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Statuses of rejections after which another attempt may succeed: the request has a beta feature that is not accepted,
 * or the credentials or the clock are out of date.
 */
const REJECTED = new Set([400, 401, 403]);
/** Maximum bytes of a rejection that is buffered. The rest of a longer rejection is forwarded as it arrives. */
const MAX_BYTES = 64 * 1024;

/**
 * Forwards a response. A rejection is buffered until `findRepetition` has decided whether the request is sent again;
 * if it is, the handler receives only the second response.
 */
export class RepeatableResponse extends ForwardingHandler {
  private rejected: BufferedResponse | undefined;

  constructor(
    next: Dispatcher.DispatchHandler,
    private readonly findRepetition: (rejection: RejectedResponse) => (() => void) | undefined,
  ) {
    super(next);
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    if (REJECTED.has(status)) this.rejected = { status, headers, statusMessage, chunks: [], length: 0 };
    else super.onResponseStart(controller, status, headers, statusMessage);
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { rejected } = this;
    if (rejected === undefined) {
      super.onResponseData(controller, chunk);
      return;
    }
    rejected.chunks.push(chunk);
    rejected.length += chunk.length;
    if (rejected.length > MAX_BYTES) this.release(controller, rejected);
  }

  override onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    const { rejected } = this;
    if (rejected !== undefined) {
      const { status, headers, chunks } = rejected;
      const repeat = this.findRepetition({ status, headers, body: Buffer.concat(chunks) });
      if (repeat !== undefined) {
        repeat();
        return;
      }
      this.release(controller, rejected);
    }
    super.onResponseEnd(controller, trailers);
  }

  private release(controller: Dispatcher.DispatchController, rejected: BufferedResponse): void {
    this.rejected = undefined;
    const { status, headers, statusMessage, chunks } = rejected;
    super.onResponseStart(controller, status, headers, statusMessage);
    for (const chunk of chunks) super.onResponseData(controller, chunk);
  }
}

interface BufferedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly statusMessage: string | undefined;
  readonly chunks: Buffer[];
  length: number;
}
