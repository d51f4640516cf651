import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { findProfile, getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import { parseBaseUrl } from "../upstream/clients.ts";

/**
 * Names of attributes: those of OpenTelemetry's conventions, and the proxy's own. The GenAI conventions are not stable
 * yet (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
 */
export const ATTRIBUTES = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  tokenType: "gen_ai.token.type",
  conversation: "gen_ai.conversation.id",
  systemInstructions: "gen_ai.system_instructions",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  errorType: "error.type",
  route: "http.route",
  status: "http.response.status_code",
  serverAddress: "server.address",
  serverPort: "server.port",
  mcpMethod: "mcp.method.name",
  tool: "gen_ai.tool.name",
  prompt: "gen_ai.prompt.name",
  callId: "sallyport.call_id",
  key: "sallyport.key",
  team: "sallyport.team",
  cost: "sallyport.cost_usd",
  upstream: "sallyport.upstream",
  waitMs: "sallyport.wait_ms",
} as const;

/** Histograms, with the buckets that the conventions recommend. */
export const METRICS = {
  tokens: {
    name: "gen_ai.client.token.usage",
    unit: "{token}",
    description: "Tokens of calls, as reported by the upstreams or estimated.",
    buckets: Array.from({ length: 14 }, (_, index) => 4 ** index),
  },
  duration: {
    name: "gen_ai.client.operation.duration",
    unit: "s",
    description: "Duration of calls, to the end of the response.",
    buckets: Array.from({ length: 14 }, (_, index) => 0.01 * 2 ** index),
  },
  firstToken: {
    name: "gen_ai.server.time_to_first_token",
    unit: "s",
    description: "Time to the first byte of streams.",
    buckets: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  },
} as const;

/** The conventions' names of operations that have another name in the proxy, except `generate`. */
const OPERATIONS: Readonly<Record<string, string>> = { embed: "embeddings" };

/**
 * Returns the conventions' name of an operation, such as `chat`. If they define none, returns the proxy's own name with
 * underscores instead of hyphens.
 */
export function operationName(operation: string, dialect: Dialect): string {
  if (operation === "generate") return getProfile(dialect).client.generateOperation;
  return OPERATIONS[operation] ?? operation.replaceAll("-", "_");
}

/** The conventions' names of vendors, by host. */
const PROVIDERS: readonly (readonly [host: RegExp, name: string])[] = [
  [/(^|\.)openai\.azure\.com$/, "azure.ai.openai"],
  [/(^|\.)(services\.ai|inference\.ai|models\.ai)\.azure\.com$/, "azure.ai.inference"],
  [/(^|\.)amazonaws\.com$/, "aws.bedrock"],
  [/aiplatform\.googleapis\.com$/, "gcp.vertex_ai"],
  [/(^|\.)googleapis\.com$/, "gcp.gemini"],
  [/(^|\.)anthropic\.com$/, "anthropic"],
  [/(^|\.)deepseek\.com$/, "deepseek"],
  [/(^|\.)groq\.com$/, "groq"],
  [/(^|\.)mistral\.ai$/, "mistral_ai"],
  [/(^|\.)moonshot\.(ai|cn)$/, "moonshot_ai"],
  [/(^|\.)perplexity\.ai$/, "perplexity"],
  [/(^|\.)cohere\.(ai|com)$/, "cohere"],
  [/(^|\.)x\.ai$/, "x_ai"],
];

/**
 * Returns the name of the vendor to which an upstream's host belongs, or otherwise of the dialect's own vendor;
 * `sallyport` for the built-in echo.
 */
export function providerName({ dialect, baseUrl }: UpstreamConfig): string {
  if (dialect === "any") return "sallyport";
  const { hostname } = parseBaseUrl(baseUrl);
  const known = PROVIDERS.find(([host]) => host.test(hostname));
  return known?.[1] ?? findProfile(dialect)?.upstream?.providerName ?? dialect;
}
