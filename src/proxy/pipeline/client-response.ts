import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { AppError } from "../../errors.ts";
import { endEarly } from "../../http/early-response.ts";
import { decodeBody } from "../body/content-coding.ts";
import { encodeProxyError, type ProxyError, toExchangeError, toProxyError } from "../dialect-errors.ts";
import { getProfile } from "../dialects/index.ts";
import { DialectError } from "../exchange/dialect-error.ts";
import { stringifyJson } from "../exchange/json.ts";
import type { ResponseWriter } from "../translate/translate-call.ts";
import type { OpenStream } from "../upstream/open-streams.ts";
import type { CancelSignal, ResponseSample } from "../upstream/relay-task.ts";
import { clientHeaders } from "../upstream/response-headers.ts";
import { estimateTokens } from "../usage/estimate-tokens.ts";
import { type Call, endWith, hidesVendorLimits, ownHeaders } from "./call.ts";

/** Responds with an error in the client's dialect, or closes the connection if a response has begun. */
export function respondWithError(call: Call, error: unknown): void {
  const encodable = toProxyError(error);
  call.errorMessage ??= call.runtime.redact(error instanceof Error ? error.message : encodable.message);
  clearUnusedUpstream(call);
  call.errorCode ??= toExchangeError(error).errorCode;
  // Record the error's own status, such as 499 for a disconnected client, which cannot receive the response.
  call.status = error instanceof AppError ? error.status : encodable.status;
  const retry =
    encodable.retryAfterSeconds === undefined ? [] : ["retry-after", String(encodable.retryAfterSeconds)];
  if (encodable.isFinal) retry.push("x-should-retry", "false");
  respondWithJson(
    call,
    encodable.status,
    call.runtime.redact(encodeForClient(call, error, encodable)),
    retry,
  );
}

function encodeForClient({ dialect, id }: Call, error: unknown, encodable: ProxyError): string {
  if (!(error instanceof DialectError)) return encodeProxyError(dialect, encodable, id);
  return stringifyJson(getProfile(dialect).client.encodeError(error.error, id).body);
}

/**
 * Forwards an upstream's error. JSON is forwarded with secrets redacted; anything else becomes an error in the
 * client's dialect with the same status and, if the body is plain text, that text.
 */
export async function respondWithUpstreamError(
  call: Call,
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<void> {
  const { redact } = call.runtime;
  const text = await decodedText(body, headers["content-encoding"]);
  const { "content-encoding": _coding, ...kept } = headers;
  call.status = status;
  call.errorMessage = `the upstream responded with ${status}`;
  call.errorCode = "upstream_error";
  if (text !== undefined && /^\s*[{[]/.test(text)) {
    const bytes = Buffer.from(redact(text), "utf8");
    const list = clientHeaders(kept, ownHeaders(call), redact, hidesVendorLimits(call));
    call.response.writeHead(status, [...list, "content-length", String(bytes.length)]);
    endWith(call, () => call.response.end(bytes));
    return;
  }
  const message =
    plainText(text, kept["content-type"]) ??
    `The upstream ${call.upstream?.name} responded with status ${status}`;
  const passed = clientHeaders({ ...kept, "content-type": undefined }, [], redact, hidesVendorLimits(call));
  const encoded = encodeProxyError(call.dialect, { status, message: redact(message) }, call.id);
  respondWithJson(call, status, encoded, passed);
}

/**
 * Returns the first 2,000 characters of an error body of type `text/plain` or without a type; undefined for any other.
 * Clients cannot use HTML pages.
 */
function plainText(body: string | undefined, type = "text/plain"): string | undefined {
  const text = body?.trim() ?? "";
  return text !== "" && /^text\/plain\b/i.test(type) ? text.slice(0, 2_000) : undefined;
}

/** Responds with the proxy's own JSON, or closes the connection if a response has begun. */
export function respondWithJson(
  call: Call,
  status: number,
  body: string,
  headers: readonly string[] = [],
): void {
  const { response } = call;
  if (response.headersSent) {
    if (!response.writableEnded && call.sendEnd === undefined) response.destroy();
    return;
  }
  const list = [...ownHeaders(call), ...headers, "content-type", "application/json; charset=utf-8"];
  list.push("content-length", String(Buffer.byteLength(body)), "x-content-type-options", "nosniff");
  // Closing the connection limits how long the rest of the body is read.
  if (!call.request.complete) list.push("connection", "close");
  response.writeHead(status, list);
  endWith(call, () => endEarly(call.request, response, body));
}

/** Responds to a token count with the proxy's estimate, marked by the header `x-sallyport-estimated`. */
export function respondWithTokenEstimate(call: Call, body: Buffer | undefined): void {
  const { client } = getProfile(call.dialect);
  const response = JSON.stringify(
    client.encodeTokenCount(estimateTokens(parseJson(body), client.imageTokens)),
  );
  call.status = 200;
  respondWithJson(call, 200, response, ["x-sallyport-estimated", "true"]);
}

function parseJson(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString("utf8") ?? "{}");
  } catch (error) {
    throw new AppError("validation", "The body is not valid JSON", { cause: error });
  }
}

/** Returns a body as text; undefined if its coding is unknown or invalid, or if it is decoded to more than 4 MiB. */
async function decodedText(body: Buffer, coding: string | undefined): Promise<string | undefined> {
  try {
    return (await decodeBody(body, coding, 4 * 1024 * 1024)).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Clears the upstream of a call that failed before its first attempt. */
function clearUnusedUpstream(call: Call): void {
  if (call.attempts.length > 0 || call.upstream?.dialect === "any") return;
  call.upstream = undefined;
  call.upstreamModel = undefined;
}

/** Maximum number of characters of a response that are kept for an estimate. */
const SAMPLE = 16 * 1024;
/** The trailer that lists a stream's losses. */
const LOSSES = "x-sallyport-losses";

/**
 * Cancels the upstream calls of one client call. Every translated call is aborted at its end, and the `DOMException` of
 * an `AbortController` would take a sixth of the CPU time of a small call for its stack (bench/translate/cost.mjs).
 */
export class Cancellation implements CancelSignal {
  aborted = false;
  private readonly listeners = new Set<() => void>();

  addEventListener(_type: "abort", listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.listeners.delete(listener);
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of this.listeners) listener();
  }
}

/** Writes a translated response to the client, at the client's speed, with keep-alives during silence. */
export class ClientResponse implements ResponseWriter, OpenStream {
  /** Whether the connection was closed before the response was complete, or the call took longer than allowed. */
  isDisconnected = false;
  lastActivity = performance.now();
  index = -1;
  private readonly call: Call;
  private readonly cancellation = new Cancellation();
  private ping = "";
  private firstText = "";
  private writtenLength = 0;
  /** Resolves when the upstream's body is no longer read. */
  private rest: Promise<void> | undefined;
  private readonly onClose = () => {
    if (this.call.response.writableFinished && !this.call.isTimedOut) return;
    this.isDisconnected = true;
    this.cancellation.abort();
  };

  constructor(call: Call) {
    this.call = call;
    call.response.once("close", this.onClose);
    call.services.streams.add(this);
    // `close` is emitted once, possibly while the upstream was being chosen.
    if (call.response.destroyed) this.onClose();
  }

  /** Aborts when the client disconnects, or when no upstream's response is needed anymore. */
  get signal(): CancelSignal {
    return this.cancellation;
  }

  get started(): boolean {
    return this.call.response.headersSent;
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    const { request, response } = this.call;
    const head = this.head(status, headers);
    // Responses to HTTP/1.0 clients are not chunked and cannot have trailers.
    if (request.httpVersion !== "1.0") head.push("trailer", LOSSES);
    response.writeHead(status, head);
  }

  respond(status: number, headers: Readonly<Record<string, string>>, text: string | Buffer): void {
    if (status >= 400) clearUnusedUpstream(this.call);
    else this.sample(text);
    const head = this.head(status, headers);
    head.push("content-length", String(Buffer.byteLength(text)));
    this.call.response.writeHead(status, head);
    this.call.services.streams.delete(this);
    endWith(this.call, () => this.call.response.end(text));
  }

  write(text: string | Buffer): Promise<void> | undefined {
    const { response } = this.call;
    this.sample(text);
    this.lastActivity = performance.now();
    if (text.length === 0 || response.write(text) || response.destroyed) return undefined;
    return untilDrained(response);
  }

  keepAlive(text: string): void {
    this.ping = text;
  }

  end(text: string | Buffer, trailers: Readonly<Record<string, string>> = {}): void {
    const { response, services } = this.call;
    services.streams.delete(this);
    this.sample(text);
    if (Object.keys(trailers).length > 0) response.addTrailers(trailers);
    endWith(this.call, () => response.end(text));
  }

  readLater(rest: Promise<void>): void {
    this.rest = rest;
  }

  destroy(): void {
    this.call.services.streams.delete(this);
    this.call.response.destroy();
  }

  /** Detaches from the response and aborts requests to upstreams whose responses are no longer read. */
  release(): void {
    const { response, services, sendEnd } = this.call;
    services.streams.delete(this);
    if (response.writableEnded || sendEnd !== undefined) response.off("close", this.onClose);
    if (this.rest === undefined) this.cancellation.abort();
    else void this.rest.then(() => this.cancellation.abort());
  }

  onStop(): void {
    this.call.response.destroy();
  }

  onSilence(): void {
    const { response } = this.call;
    if (this.ping !== "" && response.headersSent && !response.writableEnded) response.write(this.ping);
  }

  /** A sample of a response without an error status, to estimate tokens that the vendor has not counted. */
  get written(): ResponseSample {
    return { text: this.firstText, total: this.writtenLength };
  }

  private sample(text: string | Buffer): void {
    this.writtenLength += text.length;
    const room = SAMPLE - this.firstText.length;
    if (room > 0)
      this.firstText += typeof text === "string" ? text.slice(0, room) : text.toString("utf8", 0, room);
  }

  private head(status: number, headers: Readonly<Record<string, string>>): string[] {
    const call = this.call;
    call.status = status;
    if (call.firstByteAt === 0) call.firstByteAt = performance.now();
    const head = ownHeaders(call);
    const { requestIdHeader } = getProfile(call.dialect).client;
    if (requestIdHeader !== undefined) head.push(requestIdHeader, call.id);
    head.push("x-content-type-options", "nosniff");
    for (const name in headers) head.push(name, headers[name] ?? "");
    return head;
  }
}

/** Resolves when the write buffer of a response is empty, or the response is closed. */
export function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}
