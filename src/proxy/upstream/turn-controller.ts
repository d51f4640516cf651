import { type Dispatcher, errors } from "undici";
import { toErrorStatus } from "../exchange/error-status.ts";
import { isObject } from "../exchange/json.ts";

/** Matches headers that describe the body or connection of an HTTP response: an error event has neither. */
const OF_FORM = /^(?:content-|connection$|keep-alive$|trailer$|transfer-encoding$|upgrade$)/;

/** The actions that a turn requests from its connection. */
interface TurnActions {
  /** Sends the request. */
  send(): void;
  /** Sends the request over another connection or over HTTP, because this connection ended before the first event. */
  resend(): void;
  /** Closes the connection, because its response is no longer read. */
  abandon(): void;
}

/** Reports the events of one WebSocket response to a request's handler as if the response had arrived over HTTP. */
export class TurnController implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  rawHeaders = null;
  rawTrailers = null;
  private hasBegun = false;
  private isOver = false;
  private readonly waiting: Buffer[] = [];
  private isComplete = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: Dispatcher.DispatchOptions,
    private readonly handler: Dispatcher.DispatchHandler,
    private readonly actions: TurnActions,
  ) {
    handler.onRequestStart?.(this, {});
  }

  /** Sends the request over the open connection. */
  start(): void {
    if (this.isOver) return;
    this.expect(this.options.headersTimeout, () => new errors.HeadersTimeoutError());
    this.actions.send();
  }

  /** Passes an event on to the handler. */
  push(bytes: Buffer): void {
    if (this.isOver) return;
    if (!this.hasBegun) this.begin(200, "text/event-stream; charset=utf-8");
    this.expect(this.options.bodyTimeout, () => new errors.BodyTimeoutError());
    this.waiting.push(bytes);
    this.flush();
  }

  /** Ends the response after its last event. A slow reader takes the rest without a time limit. */
  end(): void {
    this.isComplete = true;
    clearTimeout(this.timer);
    this.flush();
  }

  /** Reports an error event: as an error response if it is the first event, else as the last event of the stream. */
  reject(event: Readonly<Record<string, unknown>>): void {
    if (this.isOver) return;
    if (this.hasBegun) {
      this.push(Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`));
      this.end();
      return;
    }
    const { status = event["status_code"], error, headers } = event;
    this.begin(toErrorStatus(status) ?? 502, "application/json", readHeaders(headers));
    this.waiting.push(Buffer.from(JSON.stringify({ error: error ?? event })));
    this.end();
  }

  /**
   * Handles the end of the connection before the last event: fails the response if it has begun, or else sends the
   * request again over another connection or over HTTP.
   */
  cut(): void {
    if (this.isOver || this.isComplete) return;
    if (this.hasBegun) this.fail(new errors.SocketError("other side closed"));
    else {
      this.finish();
      this.actions.resend();
    }
  }

  abort(reason: Error): void {
    if (this.isOver) return;
    this.aborted = true;
    this.reason = reason;
    this.fail(reason);
    // After a complete response, the connection may serve another call.
    if (!this.isComplete) this.actions.abandon();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.flush();
  }

  private begin(status: number, type: string, headers: Readonly<Record<string, string>> = {}): void {
    this.hasBegun = true;
    this.handler.onResponseStart?.(this, status, { ...headers, "content-type": type }, "");
  }

  private flush(): void {
    while (!this.paused && !this.isOver) {
      const bytes = this.waiting.shift();
      if (bytes === undefined) break;
      this.handler.onResponseData?.(this, bytes);
    }
    if (!this.isComplete || this.isOver || this.paused) return;
    this.finish();
    this.handler.onResponseEnd?.(this, {});
  }

  private fail(error: Error): void {
    this.finish();
    this.handler.onResponseError?.(this, error);
  }

  private finish(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  /** Fails the call if nothing arrives within `ms` milliseconds; 0 and undefined set no limit. */
  private expect(ms: number | null | undefined, createError: () => Error): void {
    clearTimeout(this.timer);
    if (ms == null || ms === 0) return;
    this.timer = setTimeout(() => {
      this.fail(createError());
      this.actions.abandon();
    }, ms);
  }
}

/** Reads the `headers` of an error event, such as `retry-after`. Leaves out values that HTTP does not allow. */
function readHeaders(headers: unknown): Record<string, string> {
  const read: Record<string, string> = {};
  if (!isObject(headers)) return read;
  for (const [key, value] of Object.entries(headers)) {
    const name = key.toLowerCase();
    const isValue = ["string", "number", "boolean"].includes(typeof value) && /^[ -~]*$/.test(String(value));
    if (isValue && /^[a-z\d-]+$/.test(name) && !OF_FORM.test(name)) read[name] = String(value);
  }
  return read;
}
