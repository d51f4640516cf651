import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { AppError, getErrorMessage } from "../../../errors.ts";
import { describeExcess, type JsonBounds, JsonCounter } from "../../../json/bounds.ts";
import { stringifyJson, tryParseExactJson } from "../../exchange/json.ts";
import { ForwardingHandler } from "./forwarding-handler.ts";
import type { ResponseChanges, StreamConverter } from "./platform.ts";

/** Maximum bytes of a response that is converted as a whole. Such a response may contain images. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
/** Limits of a response that is converted as a whole. They allow the log probabilities of the longest responses. */
const WHOLE_BOUNDS: JsonBounds = { values: 2_000_000, depth: 256 };

/** Converts a platform's response to the form of the dialect's own vendor and forwards it. */
export class AdaptedResponse extends ForwardingHandler {
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private converter: StreamConverter | undefined;
  /** The chunks of a response that is converted as a whole; undefined for other responses. */
  private whole: Buffer[] | undefined;
  private wholeBytes = 0;
  private readonly counter = new JsonCounter(WHOLE_BOUNDS);

  constructor(
    next: Dispatcher.DispatchHandler,
    private readonly changes: ResponseChanges,
  ) {
    super(next);
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    this.status = status;
    this.headers = headers;
    const { decodeStream, convertWhole, convertError } = this.changes;
    this.converter = status < 300 ? decodeStream?.(headers) : undefined;
    const converts = status >= 400 ? convertError !== undefined : convertWhole !== undefined;
    const isPlain = headers["content-encoding"] === undefined;
    if (status >= 200 && this.converter === undefined && converts && isPlain) this.whole = [];
    const { "content-length": length, ...others } = headers;
    const changed = this.converter !== undefined || this.whole !== undefined;
    const type = this.converter?.contentType ?? headers["content-type"];
    const passed: IncomingHttpHeaders = changed
      ? { ...others, ...(type === undefined ? {} : { "content-type": type }) }
      : { ...others, ...(length === undefined ? {} : { "content-length": length }) };
    const requestId = headers["x-amzn-requestid"];
    if (requestId !== undefined) passed["request-id"] = requestId.toString();
    super.onResponseStart(controller, status, passed, statusMessage);
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.whole !== undefined) {
      this.whole.push(chunk);
      this.wholeBytes += chunk.length;
      const excess = this.counter.push(chunk);
      if (excess !== undefined)
        controller.abort(
          new AppError("upstream_invalid", `The upstream's response ${describeExcess(excess, WHOLE_BOUNDS)}`),
        );
      else if (this.wholeBytes > MAX_WHOLE_BYTES)
        controller.abort(new AppError("upstream_invalid", "The upstream's response is larger than 64 MiB"));
      return;
    }
    if (this.converter === undefined) {
      super.onResponseData(controller, chunk);
      return;
    }
    try {
      const bytes = this.converter.push(chunk);
      if (bytes.length > 0) super.onResponseData(controller, bytes);
    } catch (error) {
      controller.abort(invalid(error));
    }
  }

  override onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    if (this.whole !== undefined) {
      const bytes = this.convert(Buffer.concat(this.whole));
      if (bytes.length > 0) super.onResponseData(controller, bytes);
    }
    if (this.converter !== undefined) {
      try {
        const bytes = this.converter.end();
        if (bytes.length > 0) super.onResponseData(controller, bytes);
      } catch (error) {
        super.onResponseError(controller, invalid(error));
        return;
      }
    }
    super.onResponseEnd(controller, trailers);
  }

  private convert(bytes: Buffer): Buffer {
    const { convertWhole, convertError } = this.changes;
    const value = tryParseExactJson(bytes.toString());
    if (value === undefined) return bytes;
    const converted =
      this.status >= 400 ? convertError?.(this.status, this.headers, value) : convertWhole?.(value);
    return converted === undefined ? bytes : Buffer.from(stringifyJson(converted));
  }
}

function invalid(error: unknown): AppError {
  return new AppError(
    "upstream_invalid",
    `The upstream's event stream is invalid: ${getErrorMessage(error)}`,
    {
      cause: error,
    },
  );
}
