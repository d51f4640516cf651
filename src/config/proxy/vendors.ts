import type { UpstreamDialect } from "../../proxy/dialects/index.ts";
import type { KeyHeader } from "./config.ts";

export const BEARER: KeyHeader = { name: "authorization", prefix: "Bearer " };

/** A vendor or model server that `vendor` of an upstream names. */
export interface Vendor {
  /** The name in configuration files. */
  readonly name: string;
  readonly title: string;
  /** Base URLs by dialect, with their version segments; the first one is the default. */
  readonly baseUrls: Readonly<Partial<Record<UpstreamDialect, string>>>;
  /** Environment variables with the key, in the order in which they are read. */
  readonly variables: readonly string[];
  /** Whether the vendor rejects calls without a key. */
  readonly needsKey: boolean;
  /** Headers for the key by dialect, if they differ from those of the dialects' own vendors. */
  readonly keyHeaders?: Readonly<Partial<Record<UpstreamDialect, KeyHeader>>>;
  /** Matches the hosts of the vendor, so that an upstream without `vendor` is recognized. */
  readonly host?: RegExp;
  /** The vendor's names in model data: first the name in the bundled data, then other names in models.dev. */
  readonly modelData?: readonly string[];
}

/**
 * Vendors with their own hosts. Base URLs and variables are from the vendors' documentation (November 2026).
 */
const hosted: readonly Vendor[] = [
  {
    name: "anthropic",
    title: "Anthropic",
    baseUrls: { messages: "https://api.anthropic.com/v1" },
    variables: ["ANTHROPIC_API_KEY"],
    needsKey: true,
    host: /(^|\.)anthropic\.com$/,
    modelData: ["anthropic"],
  },
  {
    name: "openai",
    title: "OpenAI",
    baseUrls: { "chat-completions": "https://api.openai.com/v1", responses: "https://api.openai.com/v1" },
    variables: ["OPENAI_API_KEY"],
    needsKey: true,
    host: /(^|\.)openai\.com$/,
    modelData: ["openai"],
  },
  {
    name: "gemini",
    title: "Google Gemini API",
    baseUrls: {
      "generative-language": "https://generativelanguage.googleapis.com/v1beta",
      "chat-completions": "https://generativelanguage.googleapis.com/v1beta/openai",
    },
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    needsKey: true,
    host: /^generativelanguage\.googleapis\.com$/,
    modelData: ["google"],
  },
  {
    name: "mistral",
    title: "Mistral",
    baseUrls: { "chat-completions": "https://api.mistral.ai/v1" },
    variables: ["MISTRAL_API_KEY"],
    needsKey: true,
    host: /(^|\.)mistral\.ai$/,
    modelData: ["mistral"],
  },
  {
    name: "groq",
    title: "Groq",
    baseUrls: {
      "chat-completions": "https://api.groq.com/openai/v1",
      responses: "https://api.groq.com/openai/v1",
    },
    variables: ["GROQ_API_KEY"],
    needsKey: true,
    host: /(^|\.)groq\.com$/,
    modelData: ["groq"],
  },
  {
    name: "deepseek",
    title: "DeepSeek",
    baseUrls: {
      "chat-completions": "https://api.deepseek.com/v1",
      messages: "https://api.deepseek.com/anthropic/v1",
    },
    variables: ["DEEPSEEK_API_KEY"],
    needsKey: true,
    host: /(^|\.)deepseek\.com$/,
    modelData: ["deepseek"],
  },
  {
    name: "xai",
    title: "xAI",
    baseUrls: { "chat-completions": "https://api.x.ai/v1", responses: "https://api.x.ai/v1" },
    variables: ["XAI_API_KEY"],
    needsKey: true,
    host: /(^|\.)x\.ai$/,
    modelData: ["xai"],
  },
  {
    name: "together",
    title: "Together AI",
    baseUrls: { "chat-completions": "https://api.together.xyz/v1" },
    variables: ["TOGETHER_API_KEY"],
    needsKey: true,
    host: /(^|\.)together\.(xyz|ai)$/,
    modelData: ["together", "togetherai"],
  },
  {
    name: "fireworks",
    title: "Fireworks AI",
    baseUrls: {
      "chat-completions": "https://api.fireworks.ai/inference/v1",
      responses: "https://api.fireworks.ai/inference/v1",
    },
    variables: ["FIREWORKS_API_KEY"],
    needsKey: true,
    host: /(^|\.)fireworks\.ai$/,
    modelData: ["fireworks", "fireworks-ai"],
  },
  {
    name: "cerebras",
    title: "Cerebras",
    baseUrls: { "chat-completions": "https://api.cerebras.ai/v1" },
    variables: ["CEREBRAS_API_KEY"],
    needsKey: true,
    host: /(^|\.)cerebras\.ai$/,
    modelData: ["cerebras"],
  },
  {
    name: "cohere",
    title: "Cohere",
    baseUrls: { "chat-completions": "https://api.cohere.ai/compatibility/v1" },
    variables: ["COHERE_API_KEY", "CO_API_KEY"],
    needsKey: true,
    host: /(^|\.)cohere\.(ai|com)$/,
    modelData: ["cohere"],
  },
  {
    name: "openrouter",
    title: "OpenRouter",
    baseUrls: {
      "chat-completions": "https://openrouter.ai/api/v1",
      responses: "https://openrouter.ai/api/v1",
      messages: "https://openrouter.ai/api/v1",
    },
    variables: ["OPENROUTER_API_KEY"],
    needsKey: true,
    keyHeaders: { messages: BEARER },
    host: /(^|\.)openrouter\.ai$/,
    modelData: ["openrouter"],
  },
  {
    name: "moonshot",
    title: "Moonshot AI (Kimi)",
    baseUrls: {
      "chat-completions": "https://api.moonshot.ai/v1",
      messages: "https://api.moonshot.ai/anthropic/v1",
    },
    variables: ["MOONSHOT_API_KEY"],
    needsKey: true,
    keyHeaders: { messages: BEARER },
    host: /(^|\.)moonshot\.(ai|cn)$/,
    modelData: ["moonshot", "moonshotai"],
  },
  {
    name: "zai",
    title: "Z.ai (GLM)",
    baseUrls: {
      "chat-completions": "https://api.z.ai/api/paas/v4",
      messages: "https://api.z.ai/api/anthropic/v1",
    },
    variables: ["ZAI_API_KEY", "ZHIPU_API_KEY"],
    needsKey: true,
    keyHeaders: { messages: BEARER },
    host: /(^|\.)(z\.ai|bigmodel\.cn)$/,
    modelData: ["zai"],
  },
  {
    name: "minimax",
    title: "MiniMax",
    // The vendor recommends `messages`, because thinking is part of the text in `chat-completions`.
    baseUrls: {
      messages: "https://api.minimax.io/anthropic/v1",
      "chat-completions": "https://api.minimax.io/v1",
    },
    variables: ["MINIMAX_API_KEY"],
    needsKey: true,
    keyHeaders: { messages: BEARER },
    host: /(^|\.)(minimax\.io|minimaxi\.com)$/,
    modelData: ["minimax"],
  },
  {
    name: "perplexity",
    title: "Perplexity",
    baseUrls: { "chat-completions": "https://api.perplexity.ai" },
    variables: ["PERPLEXITY_API_KEY"],
    needsKey: true,
    host: /(^|\.)perplexity\.ai$/,
    modelData: ["perplexity"],
  },
  {
    name: "github-models",
    title: "GitHub Models",
    baseUrls: { "chat-completions": "https://models.github.ai/inference" },
    variables: ["GITHUB_TOKEN"],
    needsKey: true,
    host: /^models\.github\.ai$/,
    modelData: ["github-models"],
  },
];

/** Model servers that run on the user's machine, at their default ports. */
const local: readonly Vendor[] = [
  localServer("ollama", "Ollama", 11_434, []),
  localServer("vllm", "vLLM", 8_000, ["VLLM_API_KEY"]),
  localServer("lmstudio", "LM Studio", 1_234, []),
  localServer("llamacpp", "llama.cpp", 8_080, ["LLAMA_API_KEY"]),
];

function localServer(name: string, title: string, port: number, variables: readonly string[]): Vendor {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return {
    name,
    title,
    baseUrls: { "chat-completions": baseUrl, responses: baseUrl, messages: baseUrl },
    variables,
    needsKey: false,
  };
}

/** Cloud platforms, whose base URLs depend on region, project or resource; see `platforms.ts`. */
const platforms: readonly Vendor[] = [
  {
    name: "bedrock",
    title: "Amazon Bedrock",
    baseUrls: {},
    variables: ["AWS_BEARER_TOKEN_BEDROCK"],
    needsKey: false,
    host: /^bedrock[\w-]*\.[\w-]+\.(?:amazonaws\.com|api\.aws)$/,
    modelData: ["amazon-bedrock"],
  },
  {
    name: "vertex",
    title: "Google Vertex AI",
    baseUrls: {},
    variables: [],
    needsKey: false,
    host: /(^|[.-])aiplatform\.(?:[a-z]{2}\.rep\.)?googleapis\.com$/,
    modelData: ["google-vertex", "google-vertex-anthropic"],
  },
  {
    name: "azure",
    title: "Azure OpenAI and Foundry",
    baseUrls: {},
    variables: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    needsKey: false,
    host: /\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/,
    modelData: ["azure"],
  },
];

/** Vendors and model servers, in the order of the documentation. */
export const vendors: readonly Vendor[] = [...hosted, ...local];

const all = [...vendors, ...platforms];

/** The names that `vendor` may have. */
export const vendorNames: readonly string[] = all.map(({ name }) => name);

const byName = new Map(all.map((vendor) => [vendor.name, vendor]));

/** Returns the vendor of this name; undefined if it is not known. */
export function findVendor(name: string): Vendor | undefined {
  return byName.get(name);
}

/** Returns the vendor to which the host of a base URL belongs. */
export function findVendorAt(baseUrl: string): Vendor | undefined {
  const { hostname } = new URL(baseUrl);
  return all.find(({ host }) => host?.test(hostname));
}
