import type { Capabilities } from "../exchange/capabilities.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";

/**
 * The capabilities of a model family, and the upstream dialects to which they apply. If several rows match a model,
 * later rows override earlier ones.
 */
export interface Family {
  /** Matched against the model's name in lower case, without a vendor's prefix (`vendor/`, `us.anthropic.`). */
  readonly model: RegExp;
  /** Name of the only vendor to which the row applies (`config/proxy/vendors.ts`). */
  readonly vendor?: string;
  /**
   * Matched against the upstream's host, for a vendor that `vendors.ts` does not contain. A row without `vendor` and
   * `host` applies to all upstreams.
   */
  readonly host?: RegExp;
  readonly dialects: readonly UpstreamDialect[];
  readonly capabilities: Partial<Capabilities>;
}

const openai: readonly UpstreamDialect[] = ["chat-completions", "responses"];
const chat: readonly UpstreamDialect[] = ["chat-completions"];
const anthropic: readonly UpstreamDialect[] = ["messages"];
const google: readonly UpstreamDialect[] = ["generative-language"];
const openaiMembers = ["prompt_cache_key", "service_tier", "modalities", "metadata", "store"];
const thinkingOpenai: Partial<Capabilities> = {
  maxTokensName: "max_completion_tokens",
  acceptsSampling: false,
  acceptsStop: false,
  reasoning: "effort",
  efforts: ["low", "medium", "high"],
};

/**
 * Capabilities as of November 2026, from the vendors' pages, SDKs and error responses. If a fact about a family is not
 * known, the value of the previous generation is used. The configuration can override each value.
 */
export const families: readonly Family[] = [
  {
    model: /^(gpt-|o\d|chatgpt-|codex-)/,
    dialects: openai,
    capabilities: { optionalMembers: openaiMembers },
  },
  { model: /^(gpt-|o\d|chatgpt-|codex-)/, dialects: ["responses"], capabilities: { minOutputTokens: 16 } },
  {
    model: /^gpt-(3|4)|^chatgpt-/,
    dialects: ["responses"],
    capabilities: { reasoning: "none", efforts: [] },
  },
  { model: /^(o\d|gpt-[5-9]|codex-)/, dialects: openai, capabilities: thinkingOpenai },
  {
    model: /^(gpt-[5-9]|codex-)/,
    dialects: openai,
    capabilities: {
      customTools: true,
      efforts: ["minimal", "low", "medium", "high"],
      optionalMembers: [...openaiMembers, "verbosity"],
    },
  },
  { model: /^gpt-5\.1/, dialects: openai, capabilities: { efforts: ["none", "low", "medium", "high"] } },
  {
    model: /^gpt-5\.([2-9]|1-codex-max)/,
    dialects: openai,
    capabilities: { efforts: ["none", "low", "medium", "high", "xhigh"] },
  },
  {
    model: /^gpt-5\.([6-9]|\d\d)/,
    dialects: openai,
    capabilities: { efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
  },
  // https://developers.openai.com/api/docs/models: most GPT-6 models always reason. The effort `max` is supported in the
  // responses dialect only.
  { model: /^gpt-[6-9]/, dialects: chat, capabilities: { efforts: ["low", "medium", "high", "xhigh"] } },
  {
    model: /^gpt-[6-9]/,
    dialects: ["responses"],
    capabilities: { efforts: ["low", "medium", "high", "xhigh", "max"] },
  },
  {
    model: /^gpt-(6-(sol|luna)|6\.1-terra)/,
    dialects: chat,
    capabilities: { efforts: ["none", "low", "medium", "high", "xhigh"] },
  },
  {
    model: /^gpt-(6-(sol|luna)|6\.1-terra)/,
    dialects: ["responses"],
    capabilities: { efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
  },
  // Codex models always reason, so they have no effort `none`.
  {
    model: /^gpt-5\.1-codex/,
    dialects: openai,
    capabilities: { efforts: ["low", "medium", "high"] },
  },
  {
    model: /^gpt-5\.([2-5].*codex|1-codex-max)/,
    dialects: openai,
    capabilities: { efforts: ["low", "medium", "high", "xhigh"] },
  },
  {
    model: /^gpt-oss/,
    dialects: chat,
    capabilities: {
      reasoning: "effort",
      efforts: ["low", "medium", "high"],
      echoesReasoning: true,
      reasoningMember: "reasoning",
    },
  },
  { model: /^grok-3-mini/, dialects: chat, capabilities: { reasoning: "effort", efforts: ["low", "high"] } },
  {
    model: /^gemini-(2\.5|3)/,
    dialects: chat,
    capabilities: { reasoning: "effort", efforts: ["minimal", "low", "medium", "high"] },
  },
  {
    model: /^(deepseek|kimi|moonshot|glm|minimax|mimo)/,
    dialects: chat,
    capabilities: { echoesReasoning: true },
  },
  {
    model:
      /^(deepseek-(r\d|reasoner|v3\.[1-9]|v4)|kimi-k[2-9]|glm-(4\.[5-9]|[5-9])|minimax|mimo|qwen-?3|qwq|magistral)/,
    dialects: chat,
    capabilities: { thinksByDefault: true },
  },
  { model: /^(deepseek|kimi|moonshot)/, dialects: chat, capabilities: { needsReasoning: true } },
  // Mistral's tokenizer enforces the format of call ids and the order of roles, so other servers of these models
  // require them too.
  {
    model: /^([cdm]\w+|pix)tral/,
    dialects: chat,
    capabilities: { shortCallIds: true, acceptsSystemTurns: false, acceptsUserAfterTools: false },
  },
  // The chat templates of these models accept a system message only at the beginning
  // (https://huggingface.co/Qwen/Qwen3.5-27B/blob/main/chat_template.jinja).
  { model: /^(qwen|qwq|gemma)/, dialects: chat, capabilities: { acceptsSystemTurns: false } },
  // Google's models are not in this row, because several of their servers and gateways reject unknown members.
  {
    model: /^(deepseek|kimi|moonshot|glm|minimax|mimo|qwen|qwq|grok|llama|command|([mc]\w+|pix)tral)/,
    dialects: chat,
    capabilities: { optionalMembers: ["reasoning_details"] },
  },
  {
    model: /^deepseek/,
    dialects: chat,
    capabilities: {
      acceptsContentParts: false,
      structuredOutput: "json",
      images: "none",
      documents: "none",
      audio: false,
    },
  },
  {
    model: /^claude-/,
    dialects: anthropic,
    capabilities: { defaultMaxTokens: 16_384, cacheControl: "all" },
  },
  {
    model: /^claude-3-(opus|sonnet|haiku)/,
    dialects: anthropic,
    capabilities: {
      defaultMaxTokens: 4_096,
      maxOutputTokens: 4_096,
      reasoning: "none",
      structuredOutput: "none",
    },
  },
  {
    model: /^claude-3-5-/,
    dialects: anthropic,
    capabilities: {
      defaultMaxTokens: 8_192,
      maxOutputTokens: 8_192,
      reasoning: "none",
      structuredOutput: "none",
    },
  },
  {
    model: /^claude-(3-7-|(opus|sonnet)-4-(\d{8}|0))/,
    dialects: anthropic,
    capabilities: { structuredOutput: "none" },
  },
  {
    model: /^claude-opus-4-([01](-|$)|\d{8})/,
    dialects: anthropic,
    capabilities: { maxOutputTokens: 32_000 },
  },
  {
    model: /^claude-(sonnet-4|haiku-4|opus-4-5|3-7)/,
    dialects: anthropic,
    capabilities: { maxOutputTokens: 64_000 },
  },
  {
    model: /^claude-(opus-4-[1-9](-|$)|(sonnet|haiku)-4-[5-9]|[a-z]+-5)/,
    dialects: anthropic,
    capabilities: { acceptsTopPWithTemperature: false },
  },
  { model: /^claude-opus-4-5/, dialects: anthropic, capabilities: { efforts: ["low", "medium", "high"] } },
  {
    model: /^claude-((opus|sonnet|haiku)-4-[6-9]|[a-z]+-5)/,
    dialects: anthropic,
    capabilities: {
      reasoning: "adaptive",
      efforts: ["low", "medium", "high", "max"],
      acceptsPrefill: false,
    },
  },
  {
    model: /^claude-(opus-4-[7-9]|[a-z]+-5)/,
    dialects: anthropic,
    capabilities: {
      acceptsSampling: false,
      efforts: ["low", "medium", "high", "xhigh", "max"],
      hidesThinking: true,
    },
  },
  // These models reject `thinking.type: "disabled"`, and the next ones also a forced tool choice.
  {
    model: /^claude-((fable|mythos)-5|(opus|sonnet)-5-5)/,
    dialects: anthropic,
    capabilities: { alwaysThinks: true },
  },
  {
    model: /^claude-((fable|mythos)-5-[12]|(opus|sonnet)-5-5)/,
    dialects: anthropic,
    capabilities: { toolChoices: ["auto", "none"] },
  },
  {
    model: /^gemini-(1|2\.0)|^gemma/,
    dialects: google,
    capabilities: { reasoning: "none", jsonSchemaTools: false },
  },
  // https://ai.google.dev/gemini-api/docs/thinking#set-budget
  {
    model: /^gemini-2\.5-pro/,
    dialects: google,
    capabilities: { minThinkingTokens: 128, maxThinkingTokens: 32_768, alwaysThinks: true },
  },
  { model: /^gemini-2\.5-flash/, dialects: google, capabilities: { maxThinkingTokens: 24_576 } },
  { model: /^gemini-2\.5-flash-lite/, dialects: google, capabilities: { minThinkingTokens: 512 } },
  { model: /^gemini-2\.5-.*(image|tts)/, dialects: google, capabilities: { reasoning: "none" } },
  {
    model: /^gemini-3/,
    dialects: google,
    capabilities: { reasoning: "level", efforts: ["minimal", "low", "medium", "high"], combinesTools: true },
  },
  // These models reject penalties and prefill and do not support sampling parameters
  // (https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.5).
  {
    model: /^gemini-3\.(5-flash-lite|[6-9])/,
    dialects: google,
    capabilities: { acceptsSampling: false, acceptsTopK: false, acceptsPrefill: false },
  },
  { model: /^gemini-3(\.\d)?-pro/, dialects: google, capabilities: { efforts: ["low", "medium", "high"] } },
  { model: /^gemini-3-pro/, dialects: google, capabilities: { efforts: ["low", "high"] } },
];
