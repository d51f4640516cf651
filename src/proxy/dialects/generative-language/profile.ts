import { AppError } from "../../../errors.ts";
import { serializeLine } from "../../../sse/serialize.ts";
import { defaultCapabilities } from "../../exchange/capabilities.ts";
import type { EncodedError } from "../../exchange/codec.ts";
import type {
  DialectProfile,
  DialectRoute,
  ModelListFormat,
  ResponseProfile,
  UpstreamProfile,
} from "../../exchange/dialect-profile.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { kindToStatus } from "../../exchange/error-status.ts";
import { ENCODED_SIGNATURE_PREFIX } from "../../exchange/signature.ts";
import { fromSeparateThoughtCounts } from "../../exchange/usage.ts";
import { findOpenAiError } from "../shared/openai-profile.ts";
import { getNumber, readPageSize } from "../shared/profile-values.ts";

declare module "../../exchange/parts.ts" {
  interface DialectNames {
    "generative-language": "upstream";
  }
}

/** Default page size of a model list (https://ai.google.dev/api/models#method:-models.list). */
const PAGE_SIZE = 50;

const modelList: ModelListFormat = {
  describe: ({ id, displayName }) => ({
    name: `models/${id}`,
    version: "001",
    displayName,
    supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
  }),
  createPage(models, query, describe) {
    // An empty or zero page size counts as absent, as in Google's API.
    const asked = query["pageSize"] ?? query["page_size"];
    const size = readPageSize(asked === "0" || asked === "" ? undefined : asked, PAGE_SIZE);
    const from = readPageToken(query["pageToken"] ?? query["page_token"]);
    const page = models.slice(from, from + size).map(describe);
    return from + size < models.length
      ? { models: page, nextPageToken: Buffer.from(String(from + size)).toString("base64url") }
      : { models: page };
  },
};

/** Returns the index that a page token encodes. Throws `validation` if the token is invalid. */
function readPageToken(token: unknown): number {
  if (token === undefined || token === "") return 0;
  const index = Buffer.from(String(token), "base64url").toString();
  if (!/^\d{1,9}$/.test(index))
    throw new AppError(
      "validation",
      "The page token is not valid. Pass the nextPageToken of the previous page, or omit it.",
    );
  return Number(index);
}

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/**
 * Returns the error object of an error body or event: `{code, message, status, details}` (https://google.aip.dev/193).
 */
export function createErrorObject(error: ExchangeError) {
  const status = error.status >= 400 ? error.status : kindToStatus(error.kind);
  const code = status === 529 ? 503 : status;
  const seconds = error.retryAfterSeconds;
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` };
  return {
    code,
    message: error.message,
    status: statuses[code] ?? (code < 500 ? "FAILED_PRECONDITION" : "INTERNAL"),
    ...(seconds === undefined ? {} : { details: [retry] }),
  };
}

function encodeError(error: ExchangeError): EncodedError {
  const body = createErrorObject(error);
  const seconds = error.retryAfterSeconds;
  return {
    status: body.code,
    headers: seconds === undefined ? {} : { "retry-after": String(seconds) },
    body: { error: body },
  };
}

const routes: readonly DialectRoute[] = [
  { method: "GET", path: "/v1beta/models", operation: "list-models", body: "ignored" },
  { method: "GET", path: "/v1beta/models/:model", operation: "get-model", body: "ignored" },
  { method: "POST", path: "/v1beta/models/:model", operation: "by-method", body: "whole" },
  { method: "POST", path: "/v1beta/models/:model/countTokens", operation: "count-tokens", body: "whole" },
  { method: "POST", path: "/v1/models/*", operation: "by-method", body: "whole", needsMethod: true },
  { method: "GET", path: "/v1beta/models/*", operation: "get-model", body: "ignored" },
  { method: "POST", path: "/v1beta/models/*", operation: "by-method", body: "whole" },
];

/**
 * The profile of Google's `generateContent` and `streamGenerateContent` (https://ai.google.dev/api/generate-content).
 */
export const profile: DialectProfile<UpstreamProfile> = {
  name: "generative-language",
  nativeUpstream: "generative-language",
  client: {
    routes,
    generateOperation: "generate_content",
    callerHeader: "x-goog-api-key",
    errorPaths: /^\/v1(?:beta|alpha)\w*\//,
    namesModelInPath: true,
    modelPrefix: "models/",
    acceptsKeyInQuery: true,
    // Google's SDKs for Python and Go fail on comments.
    keepAlive: "",
    acceptsComments: false,
    imageTokens: "tiles",
    signaturePrefix: ENCODED_SIGNATURE_PREFIX,
    modelList,
    encodeTokenCount: (tokens) => ({ totalTokens: tokens }),
    encodeError,
    encodeProxyError: (error) => encodeError(error).body,
    encodeProxyErrorEvent: (error) => serializeLine(JSON.stringify(encodeError(error).body)),
  },
  response: {
    endMarkers: ['"finishReason"', '"blockReason"', 'data: {"error"', 'data:{"error"'],
    errorMarkers: ['"error"'],
    findError: findOpenAiError,
    usageMember: "usageMetadata",
    finishReason: /"finishReason"\s*:\s*"([\w-]{1,64})"/g,
    modelName: /"modelVersion"\s*:\s*"([^"\\]{1,200})"/,
    reportsUsageAtStart: false,
    readUsage: (raw) =>
      fromSeparateThoughtCounts({
        prompt: getNumber(raw, "promptTokenCount"),
        toolPrompt: getNumber(raw, "toolUsePromptTokenCount"),
        cacheRead: getNumber(raw, "cachedContentTokenCount"),
        candidates: getNumber(raw, "candidatesTokenCount") ?? countNoCandidates(raw),
        thoughts: getNumber(raw, "thoughtsTokenCount"),
        raw,
      }),
  },
  upstream: {
    providerName: "gcp.gemini",
    versionPath: "/v1beta",
    hasVersionlessVendors: false,
    keyHeader: { name: "x-goog-api-key", prefix: "" },
    headerPrefix: "x-goog-",
    modelListQuery: "?pageSize=1000",
    reportsUsageOnRequest: false,
    compactsConversations: false,
    hasWebSocketMode: false,
    capabilities: {
      ...defaultCapabilities,
      maxStopSequences: 5,
      reasoning: "budget",
      acceptsPrefill: true,
      images: "base64",
      documents: "base64",
      toolNamePattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/,
    },
    hasGateways: false,
    instructionsWithoutTurns: "user-turn",
    restrictsStrictSchemas: false,
    acceptsAnySchemaRoot: true,
    acceptsJsonWithoutSchema: true,
    forcesCallsWhileThinking: true,
    limitsToolCalls: false,
    candidatesMember: "candidateCount",
    toolMembers: ["namespace"],
    createSmallestCall: (model) => ({
      path: `/models/${encodeURIComponent(model)}:generateContent`,
      body: {
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        generationConfig: { maxOutputTokens: 1 },
      },
    }),
    createCountCall: (model, body) => ({
      path: `/models/${encodeURIComponent(model)}:countTokens`,
      body: { generateContentRequest: { model: `models/${model}`, ...body } },
    }),
  },
  mediaForm: "google",
  storesResponses: false,
  callIds: { pattern: /^[^\s]+$/, maxLength: 256 },
  turnsMember: "contents",
};

/** Returns 0 if the prompt's tokens equal the total, as in an embeddings response; otherwise undefined. */
function countNoCandidates(raw: object): number | undefined {
  const [prompt, total] = [getNumber(raw, "promptTokenCount"), getNumber(raw, "totalTokenCount")];
  return prompt !== undefined && total === prompt ? 0 : undefined;
}

/** The responses of Google's Interactions API, which the proxy passes on. https://ai.google.dev/api/interactions-api */
export const interactionResponse: ResponseProfile = {
  ...profile.response,
  usageMember: "usage",
  readUsage: (raw) =>
    fromSeparateThoughtCounts({
      prompt: getNumber(raw, "total_input_tokens"),
      toolPrompt: getNumber(raw, "total_tool_use_tokens"),
      cacheRead: getNumber(raw, "total_cached_tokens"),
      candidates: getNumber(raw, "total_output_tokens"),
      thoughts: getNumber(raw, "total_thought_tokens"),
      raw,
    }),
};
