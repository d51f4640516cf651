import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { AzurePlatform, PlatformConfig, UpstreamConfig } from "../../../config/proxy/config.ts";
import { AppError } from "../../../errors.ts";
import { findStart, skipSpace } from "../../body/json-bytes.ts";
import { createModelFinder } from "../../body/model-finder.ts";
import { isObject, type Json, stringifyJson, tryParseExactJson } from "../../exchange/json.ts";
import type { Pools } from "../pools.ts";
import { isSigned, signRequest } from "../sign-in/sign-in.ts";
import { AdaptedResponse } from "./adapted-response.ts";
import { withRemedies } from "./remedies.ts";
import { type RejectedResponse, RepeatableResponse } from "./repeatable-response.ts";

/** A request in the upstream's dialect, before it is converted to the platform's form. */
export interface PlatformRequest {
  readonly method: string;
  /** The path below the base URL, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined if there is none or it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Changes of a request and its response. An absent member leaves that part unchanged. */
export interface PlatformChanges {
  readonly method?: string;
  /** The base URL, if another service of the platform is called. */
  readonly baseUrl?: string;
  readonly path?: string;
  /** The headers to set, keyed by name. A value of undefined removes the header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly response?: ResponseChanges;
  /** Returns the changes for another attempt after a rejection; undefined if another attempt cannot help. */
  readonly repeat?: (rejection: RejectedResponse) => PlatformChanges | undefined;
}

/** Converts responses to those of the dialect's own vendor. */
export interface ResponseChanges {
  /** Creates the converter of a stream; undefined if the headers do not declare a stream of the platform. */
  readonly decodeStream?: (headers: IncomingHttpHeaders) => StreamConverter | undefined;
  /** Converts a whole JSON response. A result of undefined leaves the response unchanged. */
  readonly convertWhole?: (body: unknown) => unknown;
  /** Converts the body of an error. A result of undefined leaves the body unchanged. */
  readonly convertError?: (status: number, headers: IncomingHttpHeaders, body: unknown) => unknown;
}

/** Converts the bytes of a stream to events of the dialect. */
export interface StreamConverter {
  readonly contentType: string;
  /** Throws if the bytes cannot be decoded. */
  push(bytes: Buffer): Buffer;
  /** Returns the last bytes. Throws if the stream is incomplete. */
  end(): Buffer;
}

/** An upstream on a cloud platform. */
export interface PlatformUpstream {
  readonly upstream: UpstreamConfig;
  readonly platform: PlatformConfig;
}

/**
 * Converts a request to the form of a cloud platform, signs it and sends it. Converts the response to the upstream's
 * dialect. Reports every failure to the handler; never rejects.
 */
export async function dispatchOnPlatform(
  pools: Pools,
  target: PlatformUpstream,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  try {
    await send(pools, target, options, handler);
  } catch (error) {
    reportFailure(handler, error);
  }
}

function reportFailure(handler: Dispatcher.DispatchHandler, error: unknown): void {
  handler.onResponseError?.(NO_CONTROLLER, error instanceof Error ? error : new Error(String(error)));
}

/** The controller of requests that were never sent. */
const NO_CONTROLLER: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort: () => {},
  pause: () => {},
  resume: () => {},
};

async function send(
  pools: Pools,
  target: PlatformUpstream,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  const { upstream, platform } = target;
  const base = new URL(upstream.baseUrl);
  const prefix = base.pathname.replace(/\/$/, "");
  const path = options.path.slice(prefix.length);
  const headers = toHeaders(options.headers as readonly string[]);
  if (isStreamed(platform, path, options.body)) {
    await sendStream(pools, target, { ...options, headers }, handler);
    return;
  }
  const sent = await readBody(options.body);
  const request = { method: String(options.method), path, headers, body: parseObject(sent) };
  const adapt = await loadAdapter(platform);
  const call = { pools, target, options, handler, request, sent, base: `${base.origin}${prefix}` };
  await sendOnce(call, adapt(request, upstream, sent), true);
}

/** Sends a request whose body is streamed. It is neither converted nor repeated. */
async function sendStream(
  pools: Pools,
  { upstream, platform }: PlatformUpstream,
  options: Dispatcher.DispatchOptions & { readonly headers: Readonly<Record<string, string>> },
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  const { method, path, headers } = options;
  const url = new URL(`${new URL(upstream.baseUrl).origin}${path}`);
  // Azure's signature does not depend on the body.
  const unsigned = { method, url, headers, body: Buffer.alloc(0) };
  const signature = isSigned(upstream) ? await signRequest(upstream, unsigned) : undefined;
  pools.get(url.origin, upstream.timeouts.connectMs).dispatch(
    {
      ...options,
      path: `${url.pathname}${url.search}`,
      headers: [...Object.entries(headers).flat(), ...(signature?.headers ?? [])],
    },
    new AdaptedResponse(handler, withRemedies(undefined, platform)),
  );
}

interface PlatformCall {
  readonly pools: Pools;
  readonly target: PlatformUpstream;
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
  readonly request: PlatformRequest;
  readonly sent: Buffer;
  /** The upstream's base URL without its query. */
  readonly base: string;
}

/**
 * Sends the request with these changes. If `mayRepeat` is set, sends a rejected request once more with other changes or
 * a new signature, if these can avoid the rejection.
 */
async function sendOnce(call: PlatformCall, changes: PlatformChanges, mayRepeat: boolean): Promise<void> {
  const { pools, target, options, handler, request, sent, base } = call;
  const { upstream, platform } = target;
  const body = "body" in changes ? Buffer.from(stringifyJson(changes.body)) : sent;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...request.headers, ...changes.headers }))
    if (value !== undefined && name !== "content-length") headers[name] = value;
  // Compressed responses cannot be converted.
  if (changes.response !== undefined) headers["accept-encoding"] = "identity";
  const url = new URL(`${changes.baseUrl ?? base}${changes.path ?? request.path}`);
  const method = (changes.method ?? request.method) as Dispatcher.HttpMethod;
  const unsigned = { method, url, headers, body };
  const signature = isSigned(upstream) ? await signRequest(upstream, unsigned) : undefined;
  const adapted = new AdaptedResponse(handler, withRemedies(changes.response, platform));
  const findRepetition = (rejection: RejectedResponse) => {
    const others = changes.repeat?.(rejection) ?? (signature?.renew(rejection) ? changes : undefined);
    if (others === undefined) return undefined;
    return () => {
      sendOnce(call, others, false).catch((error: unknown) => reportFailure(handler, error));
    };
  };
  pools.get(url.origin, upstream.timeouts.connectMs).dispatch(
    {
      ...options,
      method,
      path: `${url.pathname}${url.search}`,
      headers: [...Object.entries(headers).flat(), ...(signature?.headers ?? [])],
      body: body.length === 0 && method === "GET" ? null : body,
    },
    mayRepeat ? new RepeatableResponse(adapted, findRepetition) : adapted,
  );
}

/** `sent` is the body before it was parsed. */
type Adapter = (request: PlatformRequest, upstream: UpstreamConfig, sent: Buffer) => PlatformChanges;

async function loadAdapter(platform: PlatformConfig): Promise<Adapter> {
  switch (platform.kind) {
    case "bedrock": {
      const { toBedrock } = await import("./bedrock.ts");
      return (request, upstream) => toBedrock(request, upstream, platform);
    }
    case "vertex": {
      const { toVertex } = await import("./vertex.ts");
      return (request, upstream) => toVertex(request, upstream, platform);
    }
    case "azure":
      return (request, _upstream, sent) => toAzure(request, sent, platform);
  }
}

/** Matches operations of deployments. https://learn.microsoft.com/azure/ai-foundry/openai/reference */
const OF_DEPLOYMENTS = /^\/(?:chat\/completions|completions|embeddings|images\/generations|audio\/)/;

/** Returns the changes for Azure OpenAI: if `deployments` is set, the model becomes part of the path. */
function toAzure(
  { path, headers, body }: PlatformRequest,
  sent: Buffer,
  { deployments }: AzurePlatform,
): PlatformChanges {
  if (!deployments || !OF_DEPLOYMENTS.test(path)) return {};
  const model = body?.["model"] ?? findFormModel(headers["content-type"], sent);
  if (typeof model !== "string") return {};
  return { path: `/deployments/${encodeURIComponent(model)}${path}` };
}

/** Returns the headers of a flat list by name. Values of the same name are joined with commas. */
function toHeaders(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = list[index] ?? "";
    const value = list[index + 1] ?? "";
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/**
 * Returns whether a body is streamed to the platform: a stream, such as an upload of any size, from which neither the
 * path nor the signature of the request is computed.
 */
function isStreamed(
  platform: PlatformConfig,
  path: string,
  body: Dispatcher.DispatchOptions["body"],
): body is Readable {
  if (platform.kind !== "azure" || !(body instanceof Readable)) return false;
  return !platform.deployments || !OF_DEPLOYMENTS.test(path);
}

function findFormModel(contentType: string | undefined, bytes: Buffer): string | undefined {
  if (contentType === undefined || !/^multipart\/form-data\b/i.test(contentType)) return undefined;
  const range = createModelFinder(contentType)?.(bytes);
  return range && bytes.toString("utf8", range.start, range.end);
}

async function readBody(body: Dispatcher.DispatchOptions["body"]): Promise<Buffer> {
  if (body === null || body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === "string") return Buffer.from(body);
  if (!(body instanceof Readable)) throw new AppError("internal", "a body has an unknown type");
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parseObject(bytes: Buffer): Json | undefined {
  const start = skipSpace(bytes, findStart(bytes), bytes.length);
  const value = bytes[start] === 0x7b ? tryParseExactJson(bytes.toString("utf8", start)) : undefined;
  return isObject(value) ? value : undefined;
}
