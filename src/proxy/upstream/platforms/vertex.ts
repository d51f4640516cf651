import type { UpstreamConfig, VertexPlatform } from "../../../config/proxy/config.ts";
import { AppError } from "../../../errors.ts";
import { toAnthropicError } from "./anthropic-errors.ts";
import type { PlatformChanges, PlatformRequest } from "./platform.ts";

/**
 * The version of Anthropic's API that Vertex AI requires in each request.
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
const ANTHROPIC_VERSION = "vertex-2023-10-16";

/** The version of Anthropic's API to which `ANTHROPIC_VERSION` corresponds. */
const OLD_VERSION = "2023-06-01";

/**
 * Returns the changes that convert a request to Vertex AI's form. Claude has the operations `:rawPredict` and
 * `:streamRawPredict`, with the model in the path. Gemini has the operations of the Gemini API. Models are listed by
 * publisher.
 */
export function toVertex(
  request: PlatformRequest,
  { dialect, baseUrl }: UpstreamConfig,
  platform: VertexPlatform,
): PlatformChanges {
  if (request.method === "GET" && /^\/models(\?|$)/.test(request.path)) return listModels(baseUrl);
  return FORMS[dialect]?.(request, platform) ?? {};
}

type Form = (request: PlatformRequest, platform: VertexPlatform) => PlatformChanges;

/** The dialects whose requests Vertex AI accepts only in another form. */
const FORMS: Readonly<Partial<Record<UpstreamConfig["dialect"], Form>>> = {
  messages: toClaude,
  "generative-language": toGemini,
};

function toClaude({ path, body, headers }: PlatformRequest): PlatformChanges {
  const { model, ...members } = body ?? {};
  if (typeof model !== "string" || !/^[\w.@-]+$/.test(model))
    throw new AppError(
      "validation",
      `model: ${JSON.stringify(model)} is not a model name of Vertex AI, such as claude-sonnet-4-5@20250929`,
    );
  const { "anthropic-version": version = OLD_VERSION } = headers;
  const anthropic_version = version === OLD_VERSION ? ANTHROPIC_VERSION : version;
  const versioned = { anthropic_version, ...members };
  const response = {
    convertError: (status: number, _headers: unknown, error: unknown) => toAnthropicError(status, error),
  };
  const own = { "anthropic-version": undefined, "anthropic-beta": headers["anthropic-beta"] };
  if (path.startsWith("/messages/count_tokens"))
    return { path: "/models/count-tokens:rawPredict", body: { ...versioned, model }, headers: own, response };
  const method = members["stream"] === true ? "streamRawPredict" : "rawPredict";
  return { path: `/models/${model}:${method}`, body: versioned, headers: own, response };
}

/**
 * Converts forms that only the Gemini API accepts: unwraps the nested request of `countTokens`, and removes the member
 * `model`, or sets it to the resource name of Vertex AI in a token count.
 */
function toGemini({ path, body }: PlatformRequest, { project, location }: VertexPlatform): PlatformChanges {
  if (body === undefined) return {};
  const { generateContentRequest, model, ...members } = body;
  const inner = Object(generateContentRequest) as Record<string, unknown>;
  const { model: _, ...nested } = inner;
  const merged = generateContentRequest === undefined ? members : { ...members, ...nested };
  const isCount = path.includes(":countTokens");
  if (model === undefined && generateContentRequest === undefined) return {};
  const name = /\/models\/([^:]+):/.exec(path)?.[1] ?? "";
  const resource = `projects/${project}/locations/${location}/publishers/google/models/${name}`;
  return { body: isCount ? { model: resource, ...merged } : merged };
}

/**
 * Returns the changes for a request that lists the models of the upstream's publisher, up to 300.
 * https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list
 */
function listModels(baseUrl: string): PlatformChanges {
  const { origin, pathname } = new URL(baseUrl);
  const publisher = /\/publishers\/([\w-]+)/.exec(pathname)?.[1] ?? "google";
  return {
    baseUrl: origin,
    path: `/v1beta1/publishers/${publisher}/models?pageSize=300`,
    response: {
      convertWhole(body) {
        const { publisherModels } = Object(body) as { publisherModels?: unknown };
        const names = (Array.isArray(publisherModels) ? publisherModels : []).map(
          (model: { name?: unknown }) => String(model?.name ?? "").replace(/^.*\//, ""),
        );
        // The OpenAI-compatible API serves the models of all publishers, so its ids begin with the publisher.
        const prefix = pathname.includes("/publishers/") ? "" : `${publisher}/`;
        return { data: names.map((name) => ({ id: `${prefix}${name}`, type: "model", display_name: name })) };
      },
    },
  };
}
