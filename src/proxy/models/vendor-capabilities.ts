import type { Capabilities } from "../exchange/capabilities.ts";
import type { Family } from "./families.ts";

/** Matches every model. */
const EVERY_MODEL = /^/;

function chat(vendor: string, model: RegExp, capabilities: Partial<Capabilities>): Family {
  return { model, vendor, dialects: ["chat-completions"], capabilities };
}

/**
 * Members that OpenRouter accepts for every model.
 * https://openrouter.ai/docs/api/api-reference/chat/send-chat-completion-request
 */
const openRouterMembers = ["reasoning_details", "prompt_cache_key", "service_tier", "modalities", "metadata"];

/**
 * Capabilities of models at one vendor. They override those of the models' families. Sources are responses with the
 * status 200 or 400 that were recorded in November 2026, and the vendors' pages in the comments.
 */
export const vendorCapabilities: readonly Family[] = [
  // https://github.com/openai/openai-openapi/issues/541: functions need `reasoning_effort: "none"`
  chat("openai", /^gpt-(5\.([4-9]|\d\d)|[6-9])/, { reasonsWithTools: false }),
  chat("azure", /^gpt-(5\.([4-9]|\d\d)|[6-9])/, { reasonsWithTools: false }),
  // https://developers.openai.com/api/docs/guides/latest-model: models without the effort `none` reject functions
  chat("openai", /^gpt-[6-9]/, { toolsNeedResponses: true }),
  chat("azure", /^gpt-[6-9]/, { toolsNeedResponses: true }),
  chat("deepseek", EVERY_MODEL, {
    echoesReasoning: true,
    needsReasoning: true,
    efforts: ["none", "low", "medium", "high"],
    thinkingMember: "thinking",
  }),
  // https://docs.z.ai/api-reference/llm/chat-completion: one stop sequence, only `auto` as tool choice, no JSON Schema
  chat("zai", EVERY_MODEL, {
    toolChoices: ["auto"],
    maxStopSequences: 1,
    maxTemperature: 1,
    structuredOutput: "json",
    rejectedMembers: ["seed", "n", "logprobs", "top_logprobs", "logit_bias", "parallel_tool_calls"],
  }),
  chat("zai", /^glm-(4\.7|[5-9])/, {
    efforts: ["none", "low", "medium", "high"],
    thinkingMember: "thinking",
  }),
  // https://docs.mistral.ai/api: unknown members are rejected with 422
  chat("mistral", EVERY_MODEL, {
    shortCallIds: true,
    acceptsSystemTurns: false,
    acceptsUserAfterTools: false,
    acceptsStreamOptions: false,
    echoesReasoning: false,
    optionalMembers: ["prompt_cache_key", "metadata"],
    rejectedMembers: ["user", "logprobs", "top_logprobs", "logit_bias", "messages.name"],
    memberNames: { seed: "random_seed" },
    maxTemperature: 1.5,
  }),
  chat("mistral", /^mistral-small/, { efforts: ["none", "high"] }),
  chat("perplexity", /^sonar-(reasoning|deep-research)/, { efforts: ["low", "medium", "high"] }),
  // https://docs.perplexity.ai/guides/structured-outputs: JSON only with a schema
  chat("perplexity", EVERY_MODEL, { structuredOutput: "only-json-schema" }),
  // https://console.groq.com/docs/openai: the `rejectedMembers`, and unknown members of messages, cause a 400
  chat("groq", EVERY_MODEL, {
    maxTokensName: "max_completion_tokens",
    reasoningMember: "reasoning",
    needsReasoning: false,
    optionalMembers: ["service_tier"],
    rejectedMembers: ["logprobs", "top_logprobs", "logit_bias", "n", "messages.name"],
  }),
  chat("groq", /^qwen-?3/, { efforts: ["none"] }),
  // https://docs.x.ai/docs/guides/reasoning: for reasoning models, `stop` and the `rejectedMembers` cause a 400
  chat("xai", /^grok-(3-mini|4|5|code)/, {
    acceptsStop: false,
    rejectedMembers: ["frequency_penalty", "presence_penalty", "logit_bias"],
  }),
  // https://inference-docs.cerebras.ai/resources/openai: the `rejectedMembers` cause a 400
  chat("cerebras", EVERY_MODEL, {
    maxTokensName: "max_completion_tokens",
    reasoningMember: "reasoning",
    needsReasoning: false,
    optionalMembers: [],
    maxTemperature: 1.5,
    rejectedMembers: ["frequency_penalty", "presence_penalty", "logit_bias", "n", "messages.name"],
    images: "none",
    documents: "none",
    audio: false,
  }),
  // https://docs.cohere.com/docs/compatibility-api: no choice of a named function, and none of the `rejectedMembers`
  chat("cohere", EVERY_MODEL, {
    toolChoices: ["none", "required"],
    maxTemperature: 1,
    maxStopSequences: 5,
    optionalMembers: [],
    rejectedMembers: ["logit_bias", "top_logprobs", "n", "user", "parallel_tool_calls"],
    documents: "none",
    audio: false,
  }),
  // https://platform.moonshot.ai/docs/api/chat: a tool choice of `required` or a named function is rejected
  chat("moonshot", EVERY_MODEL, {
    toolChoices: ["auto", "none"],
    maxTemperature: 1,
    maxStopSequences: 5,
    optionalMembers: ["prompt_cache_key"],
    structuredOutput: "json",
    rejectedMembers: ["logprobs", "top_logprobs", "logit_bias", "parallel_tool_calls", "user"],
    images: "base64",
    documents: "none",
  }),
  chat("moonshot", /^kimi-k(2\.[5-9]|[3-9])/, { acceptsSampling: false }),
  // https://platform.kimi.ai/docs/guide/use-thinking-effort: Kimi K2.7 rejects `thinking.type: "disabled"`. Kimi K3
  // always thinks and has no member `thinking`.
  chat("moonshot", /^kimi-k2\.[56]/, { efforts: ["none", "high"], thinkingMember: "thinking" }),
  chat("moonshot", /^kimi-k[3-9]/, { efforts: ["low", "high", "max"] }),
  chat("openrouter", EVERY_MODEL, {
    efforts: ["none", "minimal", "low", "medium", "high", "xhigh"],
    thinkingMember: "reasoning",
  }),
  // OpenAI's models already have these members, and more.
  chat("openrouter", /^(?!gpt-|o\d|chatgpt-|codex-)/, { optionalMembers: openRouterMembers }),
  // https://openrouter.ai/docs/guides/best-practices/prompt-caching: automatic caching (`cache_control` of the request)
  // is for Claude only
  chat("openrouter", /^(claude|gemini)/, { optionalMembers: [...openRouterMembers, "extra_content"] }),
  chat("openrouter", /^gemini/, { cacheControl: "texts" }),
  chat("openrouter", /^claude/, { cacheControl: "all" }),
  // https://platform.claude.com/docs/en/build-with-claude/preserved-thinking: at Anthropic and at the cloud platforms
  ...["anthropic", "bedrock", "vertex", "azure"].map(
    (vendor): Family => ({
      model: /^claude-((fable|mythos)-5-[12]|(opus|sonnet|haiku)-5-5)/,
      vendor,
      dialects: ["messages"],
      capabilities: { bindsThinking: true },
    }),
  ),
  // https://platform.minimax.io/docs/api-reference/text-anthropic-api: images and documents are not supported
  {
    model: /^minimax-m[12]/,
    vendor: "minimax",
    dialects: ["messages"],
    capabilities: { images: "none", documents: "none", acceptsTopK: false, acceptsStop: false },
  },
  // https://docs.github.com/rest/models/inference: the request's schema has none of the `rejectedMembers`
  chat("github-models", EVERY_MODEL, { optionalMembers: [], rejectedMembers: ["n", "user", "logit_bias"] }),
  // Servers of open models render the conversation by the model's chat template. Many templates accept a system message
  // only at the beginning.
  ...["lmstudio", "ollama", "vllm", "llamacpp"].map((server) =>
    chat(server, EVERY_MODEL, { acceptsSystemTurns: false }),
  ),
  // https://lmstudio.ai/docs/developer/openai-compat: `tool_choice` must be a string, and `json_object` is rejected
  chat("lmstudio", EVERY_MODEL, {
    toolChoices: ["auto", "none", "required"],
    structuredOutput: "only-json-schema",
    images: "base64",
    documents: "none",
  }),
  // https://docs.ollama.com/openai: images by URL are rejected; `tool_choice`, `logit_bias`, `user` and `n` are ignored
  chat("ollama", EVERY_MODEL, {
    reasoningMember: "reasoning",
    images: "base64",
    documents: "none",
    audio: false,
    toolChoices: ["auto", "none"],
    rejectedMembers: ["logit_bias", "n"],
  }),
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html: `top_k` is an extra parameter
  chat("vllm", EVERY_MODEL, { acceptsTopK: true, documents: "none" }),
  // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  chat("llamacpp", EVERY_MODEL, {
    acceptsTopK: true,
    images: "base64",
    documents: "none",
    optionalMembers: [],
  }),
  // https://docs.fireworks.ai/api-reference/post-chatcompletions and
  // https://docs.together.ai/reference/chat-completions-1
  chat("fireworks", EVERY_MODEL, { acceptsTopK: true, documents: "none" }),
  chat("together", EVERY_MODEL, { acceptsTopK: true, documents: "none", audio: false }),
  // https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html
  {
    model: EVERY_MODEL,
    vendor: "bedrock",
    dialects: ["messages"],
    capabilities: { images: "base64", documents: "base64" },
  },
  {
    model: /^(?!claude)/,
    vendor: "bedrock",
    dialects: ["messages"],
    capabilities: {
      reasoning: "none",
      efforts: [],
      structuredOutput: "none",
      acceptsTopK: false,
      acceptsPrefill: false,
      optionalMembers: [],
    },
  },
  // https://platform.claude.com/docs/en/build-with-claude/vision: images by URL are rejected
  {
    model: EVERY_MODEL,
    vendor: "vertex",
    dialects: ["messages"],
    capabilities: { images: "base64", documents: "base64" },
  },
  {
    model: EVERY_MODEL,
    host: /(^|\.)snowflakecomputing\.com$/,
    dialects: ["chat-completions"],
    capabilities: { efforts: ["low", "medium", "high"], thinkingMember: "reasoning" },
  },
];
