import { Readable } from "node:stream";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { getPath } from "../../http/request-path.ts";
import { readBody } from "../body/read-body.ts";
import { scanObject } from "../body/scan-body.ts";
import { interactionResponse } from "../dialects/generative-language/profile.ts";
import type { Dialect } from "../exchange/parts.ts";
import { callersDialect } from "../models/describe-models.ts";
import type { Route } from "../routes.ts";
import { collectCallFacts } from "../routing/call-facts.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Services } from "../services.ts";
import { parseBaseUrl, relayTo } from "../upstream/clients.ts";
import type { RelayOutcome } from "../upstream/relay-task.ts";
import { runAttempts } from "./attempt-loop.ts";
import { createBatchFilter, hasBatchAddresses } from "./batch-addresses.ts";
import {
  type AdmittedRequest,
  type Call,
  endWith,
  hidesVendorLimits,
  openCall,
  ownHeaders,
  recordError,
  settle,
} from "./call.ts";
import { type CallBody, modelIn } from "./call-body.ts";
import { setTargets } from "./choose-targets.ts";
import { respondWithError, respondWithUpstreamError } from "./client-response.ts";
import { limitTotal } from "./limit-total.ts";
import { disconnectSignal } from "./limit-upstream.ts";
import { relayedDialects, toRelayedDialect } from "./native.ts";
import { type CalledOperation, withoutKey } from "./operation-path.ts";
import { expectAllowed, isInteraction, isRead, withCosts } from "./pass-through-limits.ts";
import { choosePassThroughTarget, takesClient } from "./pass-through-target.ts";
import { type NativeBody, nativeBody, nativeRequest } from "./relay-request.ts";

/**
 * Matches a path of Google's API whose method is not a model operation of the proxy: batches, and generated images and
 * videos. The group is the model.
 */
const MODEL_IN_PATH =
  /^\/v1beta\/models\/([\w.@-]+):(?:batchGenerateContent|asyncBatchEmbedContent|predict|predictLongRunning)$/;

/** Returns whether a call on a route for models is passed on because of its path. */
export function isPassedOn(path: string): boolean {
  return MODEL_IN_PATH.test(path);
}

/** The body of a call that is passed on: read whole if it is JSON, which may name a model, and streamed otherwise. */
type PassedBody = CallBody | { readonly kind: "bytes"; readonly bytes: Buffer } | { readonly kind: "stream" };

/**
 * Relays a call that is not a model call, such as one for files or batches, to an upstream of the client's vendor, and
 * relays the response. With `unknown`, no route has the path, and only upstreams with `pass_through` can receive the
 * call.
 */
export async function servePassThrough(
  admitted: AdmittedRequest,
  route: Route,
  services: Services,
  unknown = false,
): Promise<void> {
  const dialect = getCallerDialect(admitted, route);
  const call = openCall(admitted, { ...route, dialect }, services);
  const cancelLimit = limitTotal(call);
  try {
    const url = call.request.url ?? "";
    const path = expectSafe(getPath(url));
    const query = url.includes("?") ? withoutKey(url.slice(url.indexOf("?"))) : "";
    const body = await readPassedBody(call);
    const known: CallBody = body.kind === "stream" || body.kind === "bytes" ? { kind: "none" } : body;
    const inPath = MODEL_IN_PATH.exec(path)?.[1];
    call.model = modelIn(known) ?? inPath;
    const called: CalledOperation = {
      operation: "stored-response",
      model: call.model,
      stream: call.stream,
      array: false,
      path: (name) => getPathBelow(inPath === undefined ? path : path.replace(`/${inPath}:`, `/${name}:`)),
      query,
    };
    expectAllowed(call, called, known, path);
    const bytes = known.kind === "json" ? known.bytes : undefined;
    const target = await choosePassThroughTarget(call.runtime, {
      what: "path",
      headers: call.request.headers,
      dialect,
      model: call.model,
      facts: () => collectCallFacts(call.request.headers, bytes),
      isAble: ({ passThrough }) => !unknown || passThrough === true,
    });
    setTargets(call, [target]);
    const loading = call.runtime.modelData.load();
    if (loading !== undefined) await loading;
    await services.limiter.reserveForKey(call, withCosts(call, called, path), [target], known);
    await relay(call, called, path, target, body);
  } catch (error) {
    respondWithError(call, error);
  } finally {
    cancelLimit?.();
    settle(call);
  }
}

/** Returns whether an unknown path may be passed on, because an upstream for the caller's dialect accepts any path. */
export function takesUnknown(admitted: Pick<AdmittedRequest, "request" | "runtime">, route: Route): boolean {
  const dialect = getCallerDialect(admitted, route);
  const upstreams = [...admitted.runtime.config.upstreams.values()];
  return upstreams.some((upstream) => upstream.passThrough === true && takesClient(upstream, dialect));
}

function getCallerDialect({ request }: Pick<AdmittedRequest, "request">, route: Route): Dialect {
  const caller = callersDialect(route.dialect, request.headers);
  return caller === "plain" || caller === "admin" || caller === "bedrock" ? "chat-completions" : caller;
}

/** Returns the path if it stays within the API (path traversal). Throws `not_found` otherwise. */
function expectSafe(path: string): string {
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    throw new AppError("not_found", "Unknown path");
  }
  if (/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(decoded)) throw new AppError("not_found", "Unknown path");
  return path;
}

/** Returns the path below a base URL, which contains the version segment. */
function getPathBelow(path: string): string {
  return path.replace(/^\/(?:upload\/|download\/)?v1(?:beta|alpha)?\w*(?=\/|$)/, "");
}

async function readPassedBody(call: Call): Promise<PassedBody> {
  const { request } = call;
  const { headers } = request;
  const length = headers["content-length"] ?? "0";
  if (length === "0" && headers["transfer-encoding"] === undefined) return { kind: "none" };
  const isJson = /^application\/(?:[\w.+-]*\+)?json\b/i.test(headers["content-type"] ?? "");
  // Clients may send the parts of an upload with the content type of its JSON metadata.
  if (!isJson || getPath(request.url ?? "").startsWith("/upload/")) return { kind: "stream" };
  const { limits } = call.runtime.config;
  const bytes = await readBody(request, limits.body, { share: call.share, max: limits.inFlight });
  try {
    const scanned = await scanObject(bytes);
    call.stream = scanned.stream;
    return { kind: "json", bytes, scanned };
  } catch {
    // The body is not a JSON object. The vendor decides whether it is valid.
    return { kind: "bytes", bytes };
  }
}

async function relay(
  call: Call,
  called: CalledOperation,
  path: string,
  target: Target,
  passed: PassedBody,
): Promise<void> {
  const body = await toNativeBody(call, target, passed);
  const result = await runAttempts<RelayOutcome>(call, [target], {
    async send({ upstream, key }) {
      const native = nativeRequest(call, `${called.path(target.model)}${called.query}`, body, key);
      const isSearched = hasBatchAddresses(path);
      // Neither addresses nor usage can be found in a compressed response.
      const isRelayedPlain = isSearched || (call.model !== undefined && !isRead(call));
      const request = isRelayedPlain
        ? { ...native, needs: { ...native.needs, acceptEncoding: "identity" } }
        : native;
      const outcome = await relayTo(
        call.services.pools,
        withArea(upstream, path),
        request,
        relayTask(call, upstream, isSearched),
      );
      if (outcome.firstByteAt > 0) call.firstByteAt = outcome.firstByteAt;
      return outcome;
    },
    // A call that may have changed something is not sent twice.
    isRepeatable: () => isRead(call),
    suits: () => false,
    signal: () => disconnectSignal(call.response),
  });
  await conclude(
    call,
    result.kind === "done" ? result.outcome : { kind: "disconnected", firstByteAt: 0, watch: undefined },
  );
}

async function toNativeBody(call: Call, target: Target, passed: PassedBody): Promise<NativeBody> {
  if (passed.kind === "bytes") return passed.bytes;
  return passed.kind === "stream" ? toStreamBody(call) : nativeBody(call, passed, [target]);
}

function toStreamBody({ request }: Call): NativeBody {
  const length = request.headers["content-length"];
  return {
    isRepeatable: () => false,
    send() {
      // The request itself is not sent: undici destroys the body of a failed request, and with it the client's
      // connection, so that the client would not receive the error.
      const chunks = request.iterator({ destroyOnReturn: false });
      const stream = Readable.from(chunks, { objectMode: false });
      return { stream, length: length === undefined ? undefined : Number(length) };
    },
  };
}

/** Returns the upstream with the base URL for uploads or downloads, which differs from the API's at Google. */
function withArea(upstream: UpstreamConfig, path: string): UpstreamConfig {
  const area = /^\/(?:upload|download)(?=\/)/.exec(path)?.[0];
  if (area === undefined) return upstream;
  const { origin, prefix } = parseBaseUrl(upstream.baseUrl);
  return { ...upstream, baseUrl: `${origin}${area}${prefix}` };
}

function relayTask(call: Call, upstream: UpstreamConfig, hasAddresses: boolean) {
  const { redact, config, forwarding } = call.runtime;
  const { headers, socket } = call.request;
  const { origin } = parseBaseUrl(upstream.baseUrl);
  const peer = socket.remoteAddress;
  const host = forwarding.host(peer, headers) ?? headers.host ?? "";
  const own = config.publicUrl ?? `${forwarding.scheme(peer, headers)}://${host}`;
  return {
    requestId: call.id,
    upstream: upstream.name,
    response: call.response,
    kind: "pass-through",
    mayBeEmpty: true,
    isLive: true,
    createFilter: hasAddresses ? () => createBatchFilter(own) : undefined,
    ownHeaders: ownHeaders(call),
    hidesLimits: hidesVendorLimits(call),
    // The client sends the rest of a resumable upload to this address, with the proxy's key.
    redact: (text: string) => redact(text.replace(`${origin}/upload/`, `${own}/upload/`)),
    dialect: isInteraction(call) ? interactions : relayedDialects.get(call.dialect),
    streams: call.services.streams,
    endWith: (send: () => void) => endWith(call, send),
  } as const;
}

const interactions = toRelayedDialect("generative-language", interactionResponse);

async function conclude(call: Call, outcome: RelayOutcome): Promise<void> {
  switch (outcome.kind) {
    case "completed":
      call.status = outcome.status;
      call.usage = outcome.status < 400 ? outcome.usage : undefined;
      return;
    case "broken":
      call.status = outcome.status;
      recordError(call, outcome.error);
      return;
    case "disconnected":
      call.status = 499;
      call.errorMessage = "the client disconnected";
      return;
    case "refused":
      await respondWithUpstreamError(call, outcome.status, outcome.headers, outcome.body);
      return;
    case "failed":
      respondWithError(call, outcome.error);
  }
}
