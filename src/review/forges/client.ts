import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { AppError } from "../../errors.ts";
import type { OutboundFetch, OutboundResponse } from "../../http/outbound-fetch.ts";
import type { SignIn } from "./credentials.ts";
import type { ForgeName } from "./forge.ts";
import { errorOf, rateLimited, signInError, unreachable } from "./forge-errors.ts";

/** A request to a forge's API. */
export interface ForgeRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the base of the API, or an absolute address of the same host. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: unknown;
  readonly accept?: string;
  /** Error statuses that `send` returns instead of throwing. */
  readonly allow?: readonly number[];
  /** Reports whether the body of a successful response is the error of an exceeded rate limit. */
  readonly isLimited?: (body: Buffer) => boolean;
}

export interface ForgeResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Calls the API of one forge with one sign-in, and sends the sign-in to no other host. */
export interface ForgeClient {
  readonly forge: ForgeName;
  readonly host: string;
  /** Sends a request. Waits at most 120 s in total for rate limits. Throws `forge_…` errors and `too_large`. */
  send(request: ForgeRequest): Promise<ForgeResponse>;
  /** Sends a request and parses the JSON response. */
  json<Shape>(schema: z.ZodType<Shape>, request: ForgeRequest): Promise<Shape>;
}

export interface ForgeClientOptions {
  readonly forge: ForgeName;
  readonly host: string;
  /** Base of the API, for example `https://api.github.com`. */
  readonly base: string;
  /** Undefined for calls without an account. */
  readonly signIn: SignIn | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The function that sends the requests; by default the global `fetch`. */
  readonly fetch?: OutboundFetch;
  /** Called before the client waits because of a rate limit. */
  readonly onWait?: (message: string) => void;
  /** Aborts requests when the command ends. */
  readonly signal?: AbortSignal | undefined;
}

/** The options that do not depend on the forge. */
export type ConnectionOptions = Pick<ForgeClientOptions, "signIn" | "fetch" | "onWait" | "signal">;

/** Maximum milliseconds of one attempt. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Maximum seconds that one request waits for rate limits in total. */
const MAX_WAIT_S = 120;
/** Maximum bytes of a response. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Maximum attempts of a GET request if the connection breaks or the forge fails. */
const MAX_READ_ATTEMPTS = 3;
const MAX_REDIRECTS = 3;

export function createForgeClient(options: ForgeClientOptions): ForgeClient {
  const { forge, host } = options;
  const send = async (request: ForgeRequest): Promise<ForgeResponse> => {
    const url = addressOf(options, request);
    const reads = (request.method ?? "GET") === "GET";
    let waited = 0;
    for (let count = 1; ; count += 1) {
      const response = await receive(options, url, request).catch((error: unknown) => {
        if (reads && count < MAX_READ_ATTEMPTS && isTransient(error)) return undefined;
        throw error;
      });
      if (response === undefined) continue;
      const { status } = response;
      const pause = rateLimitSeconds(response, request);
      if (pause !== undefined) {
        if (waited + pause > MAX_WAIT_S) throw rateLimited(options, pause);
        options.onWait?.(`${host} limits the rate of requests. Continuing in ${pause} s`);
        waited += pause;
        await delay(pause * 1_000, undefined, { signal: options.signal });
        // The forge did not process the request, so a write can be repeated as well.
        count -= 1;
        continue;
      }
      // Azure DevOps responds to an unknown token with its sign-in page.
      if (status === 203) throw signInError(options, "203: the response is a sign-in page");
      if (status < 400 || request.allow?.includes(status)) return response;
      if (reads && status >= 500 && count < MAX_READ_ATTEMPTS) continue;
      throw errorOf(options, { ...response, method: request.method, path: request.path });
    }
  };
  return {
    forge,
    host,
    send,
    async json(schema, request) {
      const response = await send(request);
      return parseJson(options, schema, response.body, request);
    },
  };
}

/** Sends a request. Returns the body of the response, or undefined for status 404. */
export async function readIfFound(
  { send }: Pick<ForgeClient, "send">,
  request: ForgeRequest,
): Promise<Buffer | undefined> {
  const response = await send({ ...request, allow: [404] });
  return response.status === 404 ? undefined : response.body;
}

function addressOf({ base, host }: ForgeClientOptions, { path, query = {} }: ForgeRequest): URL {
  const url = new URL(/^https?:\/\//.test(path) ? path : `${base}${path}`);
  // The address of the next page could be on another host.
  if (url.origin !== new URL(base).origin)
    throw new AppError(
      "forge_error",
      `${host} returned a link to the next page on another host, which is not followed: ${url.origin}`,
    );
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

async function receive(
  options: ForgeClientOptions,
  url: URL,
  { method = "GET", json, accept = "application/json" }: ForgeRequest,
): Promise<ForgeResponse> {
  const headers = {
    accept,
    "user-agent": "sallyport",
    ...options.headers,
    ...(options.signIn && { authorization: options.signIn.authorization }),
    ...(json === undefined ? {} : { "content-type": "application/json" }),
  };
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const send: OutboundFetch = options.fetch ?? fetch;
  let target = url;
  try {
    for (let redirects = 0; ; redirects += 1) {
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const response = await send(target, { method, headers, ...body, signal, redirect: "manual" });
      const location = response.headers.get("location");
      const isMoved = [301, 302, 307, 308].includes(response.status) && location !== null;
      if (!isMoved)
        return { status: response.status, headers: response.headers, body: await readBody(response) };
      await response.body?.cancel();
      target = new URL(location, target);
      // The token must not be sent to another host, for example to a sign-in page.
      if (target.origin !== url.origin || redirects === MAX_REDIRECTS || method !== "GET")
        throw new AppError(
          "forge_error",
          `${options.host} redirects ${url.pathname} to ${target.origin}${target.pathname}`,
          {
            hint: "Check the address of the pull request.",
          },
        );
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (options.signal?.aborted) throw options.signal.reason;
    throw unreachable(options, cause);
  }
}

async function readBody(response: OutboundResponse): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw new AppError("too_large", "The forge's response is larger than 256 MiB");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function isTransient(error: unknown): boolean {
  return error instanceof AppError && error.code === "forge_error" && error.cause !== undefined;
}

/**
 * Returns the seconds after which to repeat a request, if it exceeded a rate limit or the response is a 503 with
 * `retry-after`; otherwise undefined.
 */
function rateLimitSeconds(
  { status, headers, body }: ForgeResponse,
  { isLimited }: ForgeRequest,
): number | undefined {
  const isLimitedQuery = status === 200 && isLimited?.(body) === true;
  if (status !== 429 && status !== 403 && status !== 503 && !isLimitedQuery) return undefined;
  const seconds = retryAfterSeconds(headers);
  const isSecondary =
    status === 403 && /rate limit|abuse detection/i.test(body.subarray(0, 4_096).toString());
  if (seconds !== undefined && (status !== 403 || isSecondary)) return Math.max(seconds, 1);
  const isUsedUp =
    status === 429 ||
    isSecondary ||
    isLimitedQuery ||
    (status === 403 && headers.get("x-ratelimit-remaining") === "0");
  if (!isUsedUp) return undefined;
  const reset = Number(headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset") ?? Number.NaN);
  const until = Math.ceil(reset - Date.now() / 1_000);
  // GitHub's documentation asks clients to wait for at least a minute if the response names no time.
  return Number.isFinite(until) ? Math.max(until, 1) : 60;
}

/** Returns the seconds of a `retry-after` header, a number or a date; undefined if it is missing or invalid. */
function retryAfterSeconds(headers: Headers): number | undefined {
  const after = headers.get("retry-after");
  if (after === null) return undefined;
  const seconds = /^\d/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.ceil(seconds) : undefined;
}

/**
 * Parses a JSON response. Throws `forge_error` if the body is not JSON or does not match the schema; the error names
 * the first invalid member.
 */
export function parseJson<Shape>(
  { host }: Pick<ForgeClientOptions, "host">,
  schema: z.ZodType<Shape>,
  body: Buffer,
  { path }: Pick<ForgeRequest, "path">,
): Shape {
  let json: unknown;
  try {
    json = JSON.parse(body.toString());
  } catch (cause) {
    throw new AppError("forge_error", `The response of ${host} to ${path} is not JSON`, { cause });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") || "the response";
  throw new AppError("forge_error", `Unexpected response of ${host} to ${path}: ${where}: ${issue?.message}`);
}

/** Returns the address of the next page in a `link` header (RFC 8288); undefined on the last page. */
export function nextLink(headers: Headers): string | undefined {
  for (const part of (headers.get("link") ?? "").split(/,\s*(?=<)/)) {
    const [, address, parameters = ""] = /^<([^>]*)>(.*)$/.exec(part.trim()) ?? [];
    if (address !== undefined && /;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?/.test(parameters)) return address;
  }
  return undefined;
}

/** Maximum pages of one list, in case a forge returns a next page every time. */
const MAX_PAGES = 500;

/** Reads all pages of a list whose next page is in the `link` header. */
export async function readPages<Item>(
  client: ForgeClient,
  page: z.ZodType<readonly Item[]>,
  request: ForgeRequest,
): Promise<Item[]> {
  const items: Item[] = [];
  let next: ForgeRequest | undefined = { ...request, query: { per_page: 100, ...request.query } };
  for (let count = 0; next && count < MAX_PAGES; count += 1) {
    const response: ForgeResponse = await client.send(next);
    items.push(...parseJson(client, page, response.body, request));
    const address = nextLink(response.headers);
    next = address === undefined ? undefined : { ...request, path: address, query: {} };
  }
  return items;
}
