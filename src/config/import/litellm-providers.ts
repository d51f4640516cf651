import type { ImportedUpstream } from "./imported.ts";

/** The upstream for which a model-name prefix of LiteLLM stands. */
export interface Provider {
  readonly dialect: ImportedUpstream["dialect"];
  /** The base URL; absent if every installation has a different one. */
  readonly url?: string;
  /** The variable that LiteLLM reads if no key is configured. */
  readonly keyVariable?: string;
}

const chat = (url?: string, keyVariable?: string): Provider => ({
  dialect: "chat-completions",
  ...(url !== undefined && { url }),
  ...(keyVariable !== undefined && { keyVariable }),
});

/** LiteLLM's providers that use one of the proxy's dialects, by prefix: docs.litellm.ai/docs/providers. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: chat("https://api.openai.com", "OPENAI_API_KEY"),
  anthropic: { dialect: "messages", url: "https://api.anthropic.com", keyVariable: "ANTHROPIC_API_KEY" },
  gemini: {
    dialect: "generative-language",
    url: "https://generativelanguage.googleapis.com",
    keyVariable: "GEMINI_API_KEY",
  },
  openrouter: chat("https://openrouter.ai/api", "OPENROUTER_API_KEY"),
  groq: chat("https://api.groq.com/openai", "GROQ_API_KEY"),
  mistral: chat("https://api.mistral.ai", "MISTRAL_API_KEY"),
  codestral: chat("https://codestral.mistral.ai", "CODESTRAL_API_KEY"),
  deepseek: chat("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
  xai: chat("https://api.x.ai", "XAI_API_KEY"),
  together_ai: chat("https://api.together.xyz", "TOGETHERAI_API_KEY"),
  fireworks_ai: chat("https://api.fireworks.ai/inference", "FIREWORKS_AI_API_KEY"),
  cerebras: chat("https://api.cerebras.ai", "CEREBRAS_API_KEY"),
  perplexity: chat("https://api.perplexity.ai", "PERPLEXITYAI_API_KEY"),
  moonshot: chat("https://api.moonshot.ai", "MOONSHOT_API_KEY"),
  dashscope: chat("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
  nvidia_nim: chat("https://integrate.api.nvidia.com", "NVIDIA_NIM_API_KEY"),
  deepinfra: chat("https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY"),
  sambanova: chat("https://api.sambanova.ai", "SAMBANOVA_API_KEY"),
  ollama: chat("http://localhost:11434"),
  ollama_chat: chat("http://localhost:11434"),
  lm_studio: chat("http://localhost:1234", "LM_STUDIO_API_KEY"),
  llamafile: chat("http://localhost:8080"),
  hosted_vllm: chat(undefined, "HOSTED_VLLM_API_KEY"),
  openai_like: chat(undefined, "OPENAI_LIKE_API_KEY"),
  custom_openai: chat(),
  databricks: chat(undefined, "DATABRICKS_API_KEY"),
  litellm_proxy: chat(undefined, "LITELLM_PROXY_API_KEY"),
  azure: chat(undefined, "AZURE_API_KEY"),
  azure_ai: chat(undefined, "AZURE_AI_API_KEY"),
};

/** Returns the provider that LiteLLM assumes for a model name without a prefix. */
export function guessProvider(model: string): string {
  if (/^claude/i.test(model)) return "anthropic";
  if (/^gemini/i.test(model)) return "gemini";
  return "openai";
}
