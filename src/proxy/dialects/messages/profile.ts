import { AppError } from "../../../errors.ts";
import { serializeLine } from "../../../sse/serialize.ts";
import { defaultCapabilities } from "../../exchange/capabilities.ts";
import type { EncodedError } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import type {
  DialectProfile,
  DialectRoute,
  ListedModel,
  ModelListFormat,
  UpstreamProfile,
} from "../../exchange/dialect-profile.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { statusToKind } from "../../exchange/error-status.ts";
import { isObject } from "../../exchange/json.ts";
import { SIGNATURE_PREFIX } from "../../exchange/signature.ts";
import { fromExclusiveCounts } from "../../exchange/usage.ts";
import { findOpenAiError } from "../shared/openai-profile.ts";
import { getMember, getNumber, readPageSize } from "../shared/profile-values.ts";

declare module "../../exchange/parts.ts" {
  interface DialectNames {
    messages: "upstream";
  }
}

/** Default page size of a model list (https://docs.anthropic.com/en/api/models-list). */
const PAGE_SIZE = 20;

const modelList: ModelListFormat = {
  describe({ id, displayName, created }) {
    const date = new Date(created * 1000).toISOString().replace(".000Z", "Z");
    return { type: "model", id, display_name: displayName, created_at: date };
  },
  createPage(models, query, describe) {
    const size = readPageSize(query["limit"], PAGE_SIZE);
    const after = findNamed(models, query, "after_id");
    const before = findNamed(models, query, "before_id");
    const from = before === undefined ? (after ?? -1) + 1 : Math.max(0, before - size);
    const to = before ?? from + size;
    const page = models.slice(from, to);
    return {
      data: page.map(describe),
      has_more: before === undefined ? to < models.length : from > 0,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
  },
};

/**
 * Returns the index of the model that a query member names; undefined if the member is absent or empty. Throws
 * `validation` if the list does not contain the model: with the first page instead, a client that reads all pages would
 * never end.
 */
function findNamed(
  models: readonly ListedModel[],
  query: Readonly<Record<string, unknown>>,
  member: "after_id" | "before_id",
): number | undefined {
  const id = query[member];
  if (id === undefined || id === "") return undefined;
  const index = models.findIndex((model) => model.id === id);
  if (index < 0) throw new AppError("validation", `${member}: the list has no model ${JSON.stringify(id)}`);
  return index;
}

/** `error.type` by error kind (https://docs.anthropic.com/en/api/errors). */
const types: Record<ExchangeError["kind"], string> = {
  "invalid-request": "invalid_request_error",
  authentication: "authentication_error",
  billing: "billing_error",
  permission: "permission_error",
  "not-found": "not_found_error",
  timeout: "timeout_error",
  conflict: "invalid_request_error",
  "too-large": "request_too_large",
  unprocessable: "invalid_request_error",
  "context-overflow": "invalid_request_error",
  "rate-limit": "rate_limit_error",
  quota: "rate_limit_error",
  overloaded: "overloaded_error",
  upstream: "api_error",
  internal: "api_error",
};

/** The `details.error_code` that makes the vendor's SDK send the whole conversation of a thread again. */
const THREAD_NOT_FOUND = "thread_not_found";

/** Encodes an error for clients of this dialect, which check for the text `prompt is too long` and the status 529. */
export function encodeError(error: ExchangeError, requestId?: string): EncodedError {
  const { message } = error;
  // Some servers and gateways send an "unavailable" error with a status below 500, and clients act on the status.
  const kind = error.kind === "overloaded" && error.status < 500 ? statusToKind(error.status) : error.kind;
  const isOverflow = kind === "context-overflow" && !/prompt is too long/i.test(message);
  return {
    status: kind === "overloaded" ? 529 : error.status,
    headers: error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) },
    body: defined({
      type: "error",
      error: defined({
        type: types[kind],
        message: isOverflow ? `prompt is too long: ${message}` : message,
        details: error.code === THREAD_NOT_FOUND ? { error_code: THREAD_NOT_FOUND } : undefined,
      }),
      request_id: requestId,
    }),
  };
}

/**
 * Encodes an error of the proxy. The dialect has no error codes, but `model_not_found` is added because clients act on
 * it. `not_supported` becomes the error's type, as in Claude Code's gateway protocol.
 */
function encodeProxyError(error: ExchangeError, code: string | undefined, requestId: string): unknown {
  const { body } = encodeError(error, requestId);
  if (code === "not_supported" && isObject(body) && isObject(body["error"]))
    return { ...body, error: { ...body["error"], type: "not_supported" } };
  if (code !== "model_not_found" || !isObject(body) || !isObject(body["error"])) return body;
  return { ...body, error: { ...body["error"], code } };
}

/** Request members that `/v1/messages/count_tokens` accepts. A format in `output_config` adds tokens. */
const COUNTED = ["model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"] as const;

/**
 * The API version that removed `temperature`, `top_p` and `top_k`, documents in assistant messages and citations in
 * user messages. This version added no member, so its requests are valid in version 2023-06-01 too
 * (https://platform.claude.com/docs/en/api/migration-2026-10-21).
 */
const WITHOUT_SAMPLING = "2026-10-21";

const routes: readonly DialectRoute[] = [
  { method: "POST", path: "/v1/messages", operation: "generate", body: "whole" },
  { method: "POST", path: "/v1/messages/count_tokens", operation: "count-tokens", body: "whole" },
  { method: "GET", path: "/v1/models/vendorx", operation: "list-models", body: "ignored" },
  { method: "GET", path: "/v1/models/claude", operation: "list-models", body: "ignored" },
];

/** The profile of Anthropic's `/v1/messages`. */
export const profile: DialectProfile<UpstreamProfile> = {
  name: "messages",
  nativeUpstream: "messages",
  client: {
    routes,
    generateOperation: "chat",
    callerHeader: "anthropic-version",
    errorPaths: /^\/v1\/messages\//,
    namesModelInPath: false,
    acceptsKeyInQuery: false,
    requestIdHeader: "request-id",
    keepAlive: serializeLine('{"type": "ping"}', "ping"),
    acceptsComments: true,
    rateLimitHeaders: "anthropic",
    imageTokens: "pixels",
    signaturePrefix: SIGNATURE_PREFIX,
    modelList,
    encodeTokenCount: (tokens) => ({ input_tokens: tokens }),
    encodeError,
    encodeProxyError,
    encodeProxyErrorEvent: (error, code, requestId) =>
      serializeLine(JSON.stringify(encodeProxyError(error, code, requestId)), "error"),
  },
  response: {
    endMarkers: ['"message_stop"', "event: error\n", "event: error\r", '"type":"error"'],
    errorMarkers: ['"error"', "event: error", "event:error"],
    findError: (value) =>
      value["type"] === "error" || value["type"] === undefined ? findOpenAiError(value) : undefined,
    usageMember: "usage",
    reportsUsageAtStart: true,
    finishReason: /"stop_reason"\s*:\s*"([\w-]{1,64})"/g,
    modelName: /"model"\s*:\s*"([^"\\]{1,200})"/,
    readUsage: (raw) =>
      fromExclusiveCounts({
        uncached: getNumber(raw, "input_tokens"),
        cacheRead: getNumber(raw, "cache_read_input_tokens"),
        cacheWrite: getNumber(raw, "cache_creation_input_tokens"),
        cacheWriteHour: getNumber(getMember(raw, "cache_creation"), "ephemeral_1h_input_tokens"),
        output: getNumber(raw, "output_tokens"),
        reasoning: getNumber(getMember(raw, "output_tokens_details"), "thinking_tokens"),
        raw,
      }),
  },
  upstream: {
    providerName: "anthropic",
    versionPath: "/v1",
    hasVersionlessVendors: false,
    keyHeader: { name: "x-api-key", prefix: "" },
    // The version whose requests all models and vendors accept.
    versionHeader: ["anthropic-version", "2023-06-01"],
    acceptsVersion: (client, upstream) => client >= upstream,
    limitsOf: (version) => (version < WITHOUT_SAMPLING ? {} : { acceptsSampling: false }),
    headerPrefix: "anthropic-",
    modelListQuery: "?limit=1000",
    reportsUsageOnRequest: false,
    compactsConversations: false,
    hasWebSocketMode: false,
    capabilities: {
      ...defaultCapabilities,
      maxTemperature: 1,
      maxStopSequences: 100,
      acceptsBlankStop: false,
      reasoning: "budget",
      acceptsPrefill: true,
      audio: false,
    },
    hasGateways: false,
    instructionsWithoutTurns: "user-turn",
    restrictsStrictSchemas: false,
    acceptsAnySchemaRoot: false,
    acceptsJsonWithoutSchema: false,
    forcesCallsWhileThinking: false,
    limitsToolCalls: true,
    // Without `defer_loading`: only the client's vendor can search for deferred tools, so another vendor's model would
    // never receive them.
    toolMembers: ["cache_control", "input_examples", "eager_input_streaming", "allowed_callers", "namespace"],
    createSmallestCall: (model) => ({
      path: "/messages",
      body: { model, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] },
    }),
    createCountCall(_model, body) {
      const members = COUNTED.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]));
      const counted: Record<string, unknown> = Object.fromEntries(members);
      if (!isObject(counted["thinking"])) return { path: "/messages/count_tokens", body: counted };
      // This member requires a beta header, and does not change the count.
      const { block_binding: _, ...thinking } = counted["thinking"];
      return { path: "/messages/count_tokens", body: { ...counted, thinking } };
    },
  },
  storesResponses: false,
  callIds: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 256 },
  turnsMember: "messages",
};
