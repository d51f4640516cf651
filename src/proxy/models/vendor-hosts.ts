import type { Family } from "./families.ts";

/** Capabilities at a vendor's own host, recorded from responses with status 200 in November 2026. */
export const vendorHosts: readonly Family[] = [
  {
    model: /^/,
    host: /(^|\.)deepseek\.com$/,
    dialects: ["chat-completions"],
    capabilities: {
      echoesReasoning: true,
      needsReasoning: true,
      efforts: ["none", "low", "medium", "high"],
      thinkingMember: "thinking",
    },
  },
  {
    model: /^glm-(4\.7|[5-9])/,
    host: /(^|\.)(z\.ai|bigmodel\.cn)$/,
    dialects: ["chat-completions"],
    capabilities: { efforts: ["none", "low", "medium", "high"], thinkingMember: "thinking" },
  },
  {
    model: /^/,
    host: /(^|\.)mistral\.ai$/,
    dialects: ["chat-completions"],
    capabilities: { shortCallIds: true, acceptsStreamOptions: false },
  },
  {
    model: /^mistral-small/,
    host: /(^|\.)mistral\.ai$/,
    dialects: ["chat-completions"],
    capabilities: { efforts: ["none", "high"] },
  },
  {
    model: /^sonar-(reasoning|deep-research)/,
    host: /(^|\.)perplexity\.ai$/,
    dialects: ["chat-completions"],
    capabilities: { efforts: ["low", "medium", "high"] },
  },
  {
    model: /^qwen-?3/,
    host: /(^|\.)groq\.com$/,
    dialects: ["chat-completions"],
    capabilities: { efforts: ["none"] },
  },
  {
    model: /^/,
    host: /(^|\.)openrouter\.ai$/,
    dialects: ["chat-completions"],
    capabilities: {
      efforts: ["none", "minimal", "low", "medium", "high", "xhigh"],
      thinkingMember: "reasoning",
    },
  },
  {
    model: /^/,
    host: /(^|\.)snowflakecomputing\.com$/,
    dialects: ["chat-completions"],
    capabilities: { efforts: ["low", "medium", "high"], thinkingMember: "reasoning" },
  },
];
