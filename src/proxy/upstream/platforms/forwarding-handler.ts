import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";

type Controller = Dispatcher.DispatchController;

/** Forwards the events of a response to another handler. Subclasses change some of the events. */
export class ForwardingHandler implements Dispatcher.DispatchHandler {
  constructor(private readonly next: Dispatcher.DispatchHandler) {}

  onRequestStart(controller: Controller, context: unknown): void {
    this.next.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    this.next.onResponseStart?.(controller, status, headers, statusMessage);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.next.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Controller, trailers: IncomingHttpHeaders): void {
    this.next.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    this.next.onResponseError?.(controller, error);
  }
}
