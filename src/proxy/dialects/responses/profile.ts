import { serializeLine } from "../../../sse/serialize.ts";
import { defaultCapabilities } from "../../exchange/capabilities.ts";
import type { EncodedError } from "../../exchange/codec.ts";
import type { DialectProfile, DialectRoute, UpstreamProfile } from "../../exchange/dialect-profile.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { kindToStatus } from "../../exchange/error-status.ts";
import { isObject } from "../../exchange/json.ts";
import {
  createUsageReader,
  encodeOpenAiProxyError,
  hasError,
  openAiClient,
  openAiUpstream,
} from "../shared/openai-profile.ts";

declare module "../../exchange/parts.ts" {
  interface DialectNames {
    responses: "upstream";
  }
}

const routes: readonly DialectRoute[] = [
  { method: "POST", path: "/v1/responses", operation: "generate", body: "whole" },
  { method: "GET", path: "/v1/responses", operation: "websocket", body: "ignored" },
  { method: "POST", path: "/v1/responses/input_tokens", operation: "count-tokens", body: "whole" },
  { method: "POST", path: "/v1/responses/compact", operation: "compact", body: "whole" },
  { method: "GET", path: "/v1/responses/:id", operation: "stored-response", body: "ignored" },
  { method: "GET", path: "/v1/responses/:id/input_items", operation: "stored-response", body: "ignored" },
  { method: "POST", path: "/v1/responses/:id/cancel", operation: "stored-response", body: "ignored" },
  { method: "DELETE", path: "/v1/responses/:id", operation: "stored-response", body: "ignored" },
];

/** Types of the events that end a response. */
export const LAST_EVENTS: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
]);

/** The profile of OpenAI's `/v1/responses` (https://platform.openai.com/docs/api-reference/responses). */
export const profile: DialectProfile<UpstreamProfile> = {
  name: "responses",
  nativeUpstream: "responses",
  client: {
    ...openAiClient,
    routes,
    encodeTokenCount: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
    encodeError,
    encodeProxyError: encodeOpenAiProxyError,
    encodeProxyErrorEvent({ message }, code) {
      const event = { type: "error", code: code ?? "server_error", message, param: null };
      return serializeLine(JSON.stringify(event), "error");
    },
  },
  response: {
    endMarkers: [...[...LAST_EVENTS].map((type) => `"${type}"`), "event: error\n", "event: error\r"],
    errorMarkers: ['"response.failed"', '"error"', "event: error", "event:error"],
    findError(value) {
      const { type, object, response, status } = value;
      if (type === "response.failed") return isObject(response) ? response : value;
      if (type === "error" || status === "failed") return value;
      return hasError(value) && type === undefined && object !== "response" ? value : undefined;
    },
    usageMember: "usage",
    reportsUsageAtStart: false,
    readUsage: createUsageReader({ input: "input_tokens", output: "output_tokens" }),
    finishReason:
      /"incomplete_details"\s*:\s*\{\s*"reason"\s*:\s*"([\w-]{1,64})"|"response\.(completed|failed|cancelled)"|"object"\s*:\s*"response"[^{}]{0,200}"status"\s*:\s*"(\w{1,64})"/g,
    modelName: /"model"\s*:\s*"([^"\\]{1,200})"/,
  },
  upstream: {
    ...openAiUpstream,
    compactsConversations: true,
    hasWebSocketMode: true,
    capabilities: {
      ...defaultCapabilities,
      acceptsTopK: false,
      acceptsStop: false,
      acceptsDeveloperRole: true,
      customTools: true,
      reasoning: "effort",
      efforts: ["none", "minimal", "low", "medium", "high", "xhigh"],
      optionalMembers: ["prompt_cache_key", "service_tier", "verbosity", "metadata", "store"],
    },
    instructionsWithoutTurns: "system-turn",
    createSmallestCall: (model) => ({
      path: "/responses",
      body: { model, max_output_tokens: 16, input: "Hi", store: false },
    }),
    createCountCall(_model, body) {
      const { store: _, include: __, stream: ___, max_output_tokens: ____, ...members } = body;
      return { path: "/responses/input_tokens", body: members };
    },
  },
  mediaForm: "openai",
  storesResponses: true,
  callIds: { pattern: /^[^\s]+$/, maxLength: 64 },
  turnsMember: "input",
};

const types: Partial<Record<ExchangeError["kind"], string>> = {
  authentication: "authentication_error",
  billing: "insufficient_quota",
  permission: "permission_error",
  "not-found": "not_found_error",
  "rate-limit": "rate_limit_error",
  quota: "insufficient_quota",
  timeout: "timeout_error",
  overloaded: "overloaded_error",
  upstream: "server_error",
  internal: "server_error",
};

const codes: Partial<Record<ExchangeError["kind"], string>> = {
  authentication: "invalid_api_key",
  "not-found": "model_not_found",
  "context-overflow": "context_length_exceeded",
  "rate-limit": "rate_limit_exceeded",
  quota: "insufficient_quota",
  overloaded: "server_is_overloaded",
};

/** Returns the error code on which OpenAI's clients act, or the upstream's code for an error without such a code. */
export function getErrorCode(error: ExchangeError): string | undefined {
  return codes[error.kind] ?? error.code;
}

/** Encodes an error for clients of this dialect; status 529, which OpenAI does not use, becomes 503. */
function encodeError(error: ExchangeError): EncodedError {
  const status = error.status >= 400 ? error.status : kindToStatus(error.kind);
  const { retryAfterSeconds: seconds } = error;
  return {
    status: status === 529 ? 503 : status,
    headers: seconds === undefined ? {} : { "retry-after": String(seconds) },
    body: {
      error: {
        message: error.message,
        type: types[error.kind] ?? "invalid_request_error",
        param: error.param ?? null,
        code: getErrorCode(error) ?? null,
      },
    },
  };
}
