import type { Agent } from "../agent.ts";

/** SDKs have no plans to review, and are configured only by variables. */
export const sdks: readonly Agent[] = [
  {
    id: "openai",
    name: "OpenAI SDKs",
    proxy: { writesFiles: false, load: async () => (await import("./proxy.ts")).openAiConnector },
  },
  {
    id: "anthropic",
    name: "Anthropic SDKs",
    proxy: { writesFiles: false, load: async () => (await import("./proxy.ts")).anthropicConnector },
  },
  {
    id: "google",
    name: "Google GenAI SDKs",
    proxy: { writesFiles: false, load: async () => (await import("./proxy.ts")).googleConnector },
  },
];
