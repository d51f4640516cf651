import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { UpstreamConfig } from "../config/proxy-config.ts";
import { AppError } from "../errors.ts";
import { shownKeys } from "./auth/credentials.ts";
import { decodeBody } from "./body/content-coding.ts";
import { encodeFault, faultOf } from "./dialect-errors.ts";
import type { Loss } from "./exchange/loss.ts";
import type { Dialect } from "./exchange/parts.ts";
import type { Usage } from "./exchange/response.ts";
import type { CallRecord } from "./log/request-log.ts";
import { timestamp } from "./log/timestamp.ts";
import type { Route } from "./routes.ts";
import { type Runtime, redact } from "./runtime.ts";
import type { Services } from "./services.ts";
import { clientHeaders } from "./upstream/response-headers.ts";

/** One call to a model from its first phase to its last, and what the log is to know of it. */
export interface Call {
  readonly id: string;
  readonly startedAt: number;
  readonly request: FastifyRequest;
  readonly response: ServerResponse;
  readonly route: Route;
  /** The client's. */
  readonly dialect: Dialect;
  readonly runtime: Runtime;
  readonly services: Services;
  /** Headers of ours on every answer: flat list, names in lower case. */
  readonly fixedHeaders: readonly string[];
  /** Bytes of its body counted as held. */
  heldBytes: number;
  model: string | undefined;
  upstream: UpstreamConfig | undefined;
  upstreamModel: string | undefined;
  stream: boolean;
  status: number;
  firstByteAt: number;
  retries: number;
  usage: Usage | undefined;
  losses: readonly Loss[];
  fault: string | undefined;
}

/** Takes the reply over from Fastify: from here on the call answers by itself. */
export function openCall(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route & { readonly dialect: Dialect },
  services: Services,
): Call {
  const id = services.nextRequestId();
  const fixedHeaders = ["x-sallyport-request-id", id];
  // What was set at the door is for browsers, which always name their origin.
  if (request.headers.origin !== undefined)
    for (const [name, value] of Object.entries(reply.getHeaders())) fixedHeaders.push(name, String(value));
  reply.hijack();
  services.metrics.begin();
  return {
    id,
    startedAt: performance.now(),
    request,
    response: reply.raw,
    route,
    dialect: route.dialect,
    runtime: request.runtime,
    services,
    fixedHeaders,
    heldBytes: 0,
    model: undefined,
    upstream: undefined,
    upstreamModel: undefined,
    stream: false,
    status: 0,
    firstByteAt: 0,
    retries: 0,
    usage: undefined,
    losses: [],
    fault: undefined,
  };
}

/** Headers of ours on an answer, the upstream that gave it included. */
export function ownHeaders({ fixedHeaders, upstream }: Call): string[] {
  return upstream ? [...fixedHeaders, "x-sallyport-upstream", upstream.name] : [...fixedHeaders];
}

/** The proxies that a call has passed through, this one last, so that each of them knows it again. */
export function viaOf({
  request,
  services,
}: {
  readonly request: FastifyRequest;
  readonly services: Services;
}): string {
  const before = request.headers["x-sallyport-via"]?.toString().slice(-200);
  return before ? `${before}, ${services.via}` : services.via;
}

/** Answers with a fault in the client's dialect, or, where an answer has begun, breaks the connection. */
export function answerFault(call: Call, error: unknown): void {
  const fault = faultOf(error);
  call.fault ??= call.runtime.redact(error instanceof Error ? error.message : fault.message);
  // On record under its own status: a client that has left (499) reads no answer.
  call.status = error instanceof AppError ? error.status : fault.status;
  const retry = fault.retryAfterSeconds === undefined ? [] : ["retry-after", String(fault.retryAfterSeconds)];
  answerJson(call, fault.status, call.runtime.redact(encodeFault(call.dialect, fault, call.id)), retry);
}

/**
 * Passes an upstream's refusal on: its bytes, if they are JSON, with secrets blotted out, else a fault in the client's
 * dialect with the same status.
 */
export async function answerRefusal(
  call: Call,
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<void> {
  const text = await decodedText(body, headers["content-encoding"]);
  const { "content-encoding": _coding, ...kept } = headers;
  call.status = status;
  call.fault = `the upstream answered ${status}`;
  if (text !== undefined && /^\s*[{[]/.test(text)) {
    const clean = call.runtime.redact(text);
    const bytes = Buffer.from(clean, "utf8");
    const list = clientHeaders(kept, ownHeaders(call));
    call.response.writeHead(status, [...list, "content-length", String(bytes.length)]);
    call.response.end(bytes);
    return;
  }
  const message = `The upstream ${call.upstream?.name} answered with status ${status}`;
  const passed = clientHeaders({ ...kept, "content-type": undefined }, []);
  answerJson(call, status, encodeFault(call.dialect, { status, message }, call.id), passed);
}

/** One JSON answer of our own, unless another has begun: then the connection is broken. */
export function answerJson(call: Call, status: number, body: string, headers: readonly string[] = []): void {
  const { response } = call;
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  const list = [...ownHeaders(call), ...headers, "content-type", "application/json; charset=utf-8"];
  list.push("content-length", String(Buffer.byteLength(body)), "x-content-type-options", "nosniff");
  // What is left of an unread body is not waited for.
  if (!call.request.raw.complete) list.push("connection", "close");
  response.writeHead(status, list);
  response.end(body);
}

/** The last phase: gives back what was held and puts the call on record. */
export function settle(call: Call): void {
  const { services, request } = call;
  services.held.bytes -= call.heldBytes;
  const now = performance.now();
  const record: CallRecord = {
    time: timestamp(),
    id: call.id,
    key: request.key?.name,
    client: request.ip,
    method: request.method,
    route: call.route.path,
    model: call.model,
    upstream: call.upstream?.name,
    upstreamModel: call.upstreamModel,
    status: call.status,
    ms: round(now - call.startedAt),
    firstByteMs: call.firstByteAt === 0 ? undefined : round(call.firstByteAt - call.startedAt),
    stream: call.stream,
    retries: call.retries,
    usage: call.usage,
    losses: call.losses,
    fault: loggedFault(call),
  };
  services.metrics.end(record);
  services.log.add(record);
}

/**
 * Vendors repeat keys in what they say. The configuration's are blotted out by now; here go those that the client sent,
 * and whatever else has the shape of one.
 */
function loggedFault({ fault, request }: Call): string | undefined {
  if (fault === undefined) return undefined;
  const { headers, url } = request;
  const cookies = (headers.cookie ?? "").split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  const own = [...shownKeys(headers, url, true), ...cookies].filter((text) => text.length >= SHORTEST_KEY);
  return redact(fault, own).replace(KEY_SHAPE, "[redacted]");
}

/** How the keys of the common vendors begin. */
const KEY_SHAPE = /\b(?:sk-|gsk_|xai-|AIza)[\w-]{8,}/g;

/** Anything shorter would blot out words. */
const SHORTEST_KEY = 8;

/** Notes a fault that the client was already told of, or will never hear of. */
export function noteFault(call: Call, fault: AppError): void {
  call.fault = call.runtime.redact(fault.message);
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

/** A small body as text; undefined where its coding is unknown or a lie. */
async function decodedText(body: Buffer, coding: string | undefined): Promise<string | undefined> {
  try {
    return (await decodeBody(body, coding, 4 * 1024 * 1024)).toString("utf8");
  } catch {
    return undefined;
  }
}
