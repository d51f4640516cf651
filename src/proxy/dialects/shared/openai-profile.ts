import { serializeComment, serializeLine } from "../../../sse/serialize.ts";
import { defaultCapabilities } from "../../exchange/capabilities.ts";
import type { EncodedError } from "../../exchange/codec.ts";
import type {
  ClientProfile,
  ModelListFormat,
  ResponseProfile,
  UpstreamProfile,
} from "../../exchange/dialect-profile.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Usage } from "../../exchange/response.ts";
import { SIGNATURE_PREFIX } from "../../exchange/signature.ts";
import { fromInclusiveCounts } from "../../exchange/usage.ts";
import { getMember, getNumber } from "./profile-values.ts";

type Kind = ExchangeError["kind"];

/** `error.type` by error kind (https://platform.openai.com/docs/guides/error-codes). */
const types: Record<Kind, string> = {
  "invalid-request": "invalid_request_error",
  authentication: "authentication_error",
  billing: "insufficient_quota",
  permission: "permission_error",
  "not-found": "invalid_request_error",
  timeout: "timeout_error",
  conflict: "conflict_error",
  "too-large": "invalid_request_error",
  unprocessable: "invalid_request_error",
  "context-overflow": "invalid_request_error",
  "rate-limit": "rate_limit_error",
  quota: "insufficient_quota",
  overloaded: "server_error",
  upstream: "server_error",
  internal: "server_error",
};

const codes: Partial<Record<Kind, string>> = {
  authentication: "invalid_api_key",
  "not-found": "model_not_found",
  "context-overflow": "context_length_exceeded",
  "rate-limit": "rate_limit_exceeded",
  quota: "insufficient_quota",
};

/** Encodes an error for clients of the chat-completions and completions dialects. */
export function encodeOpenAiError(error: ExchangeError): EncodedError {
  return {
    status: error.status === 529 ? 503 : error.status,
    headers: error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) },
    body: { error: createErrorObject(error) },
  };
}

function createErrorObject({ kind, message, param }: ExchangeError) {
  // Another vendor's error code would have a different meaning to OpenAI's clients.
  return { message, type: types[kind], param: param ?? null, code: codes[kind] ?? null };
}

/** Encodes an error of the proxy as a response body. All routes of the OpenAI family use the same form. */
export function encodeOpenAiProxyError(error: ExchangeError, code: string | undefined): unknown {
  return { error: { ...createErrorObject(error), code: vendorCodes.get(code ?? "") ?? code ?? null } };
}

/** OpenAI's error codes that clients handle, by the proxy's code for the same error. */
const vendorCodes: ReadonlyMap<string, string> = new Map([
  ["rate_limited", "rate_limit_exceeded"],
  ["budget_exceeded", "insufficient_quota"],
]);

const modelList: ModelListFormat = {
  describe: ({ id, created, ownedBy }) => ({ id, object: "model", created, owned_by: ownedBy }),
  createPage: (models, _query, describe) => ({ object: "list", data: models.map(describe) }),
};

/** The client profile that all dialects of the OpenAI family share. */
export const openAiClient: Omit<ClientProfile, "routes"> = {
  namesModelInPath: false,
  acceptsKeyInQuery: false,
  requestIdHeader: "x-request-id",
  keepAlive: serializeComment("ping"),
  generateOperation: "chat",
  rateLimitHeaders: "openai",
  acceptsComments: true,
  imageTokens: "pixels",
  signaturePrefix: SIGNATURE_PREFIX,
  modelList,
  encodeTokenCount: (tokens) => ({ input_tokens: tokens }),
  encodeError: encodeOpenAiError,
  encodeProxyError: encodeOpenAiProxyError,
  encodeProxyErrorEvent: (error, code) => serializeLine(JSON.stringify(encodeOpenAiProxyError(error, code))),
};

/** The response profile of `/v1/chat/completions` and `/v1/completions`. */
export const openAiChunks: ResponseProfile = {
  endMarkers: [
    "data: [DONE]",
    "data:[DONE]",
    '"finish_reason":"',
    '"finish_reason": "',
    'data: {"error"',
    'data:{"error"',
  ],
  errorMarkers: ['"error"', "event: error", "event:error"],
  findError: findOpenAiError,
  usageMember: "usage",
  reportsUsageAtStart: false,
  readUsage: createUsageReader({ input: "prompt_tokens", output: "completion_tokens" }),
  finishReason: /"finish_reason"\s*:\s*"([\w-]{1,64})"/g,
  modelName: /"model"\s*:\s*"([^"\\]{1,200})"/,
};

/**
 * Returns the event or response body itself if it reports an error: in the member `error`, by the type or object
 * `error`, or by a choice with the finish reason `error`. Otherwise returns undefined.
 */
export function findOpenAiError(value: Readonly<Record<string, unknown>>): unknown {
  const { type, object, choices } = value;
  if (hasError(value) || type === "error" || object === "error") return value;
  const isBroken = Array.isArray(choices) && choices.some((one) => Object(one).finish_reason === "error");
  return isBroken ? value : undefined;
}

/** Returns whether the member `error` is an object or a non-empty string. */
export function hasError({ error }: Readonly<Record<string, unknown>>): boolean {
  return isObject(error) || (typeof error === "string" && error !== "");
}

/**
 * Returns a function that parses token counts whose input includes cached tokens. `names` contains the members for
 * input and output tokens. DeepSeek reports cache hits in `prompt_cache_hit_tokens`, and Kimi in `cached_tokens`.
 */
export function createUsageReader(names: {
  readonly input: string;
  readonly output: string;
}): (raw: object) => Usage {
  const [inputDetails, outputDetails] = [`${names.input}_details`, `${names.output}_details`];
  return (raw) => {
    // Responses with images or transcripts use the names of the responses dialect, whatever the client's dialect.
    const input = getNumber(raw, names.input) ?? getNumber(raw, "input_tokens");
    const total = getNumber(raw, "total_tokens");
    return fromInclusiveCounts({
      input,
      cacheRead:
        getNumber(getMember(raw, inputDetails), "cached_tokens") ??
        getNumber(raw, "prompt_cache_hit_tokens") ??
        getNumber(raw, "cached_tokens"),
      cacheWrite: getNumber(getMember(raw, inputDetails), "cache_write_tokens"),
      // A response with embeddings has no output count: its total equals its input.
      output:
        getNumber(raw, names.output) ??
        getNumber(raw, "output_tokens") ??
        (input !== undefined && total === input ? 0 : undefined),
      reasoning: getNumber(getMember(raw, outputDetails), "reasoning_tokens"),
      total,
      raw,
    });
  };
}

/** The upstream profile that `/v1/chat/completions` and `/v1/responses` share. */
export const openAiUpstream: Omit<UpstreamProfile, "createSmallestCall"> = {
  providerName: "openai",
  versionPath: "/v1",
  hasVersionlessVendors: true,
  keyHeader: { name: "authorization", prefix: "Bearer " },
  headerPrefix: "openai-",
  modelListQuery: "",
  reportsUsageOnRequest: false,
  compactsConversations: false,
  hasWebSocketMode: false,
  capabilities: defaultCapabilities,
  hasGateways: false,
  instructionsWithoutTurns: "instructions",
  restrictsStrictSchemas: true,
  acceptsAnySchemaRoot: false,
  acceptsJsonWithoutSchema: true,
  forcesCallsWhileThinking: true,
  limitsToolCalls: true,
  toolMembers: ["namespace"],
};
