import type { Connection, Connector } from "./connector.ts";

/** Clients that are told by variables alone. */
export const byVariables: readonly Connector[] = [
  client("openai", "OpenAI SDKs", ({ url, key }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key })),
  client("anthropic", "Anthropic SDKs", ({ url, key }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
  })),
  client("google", "Google GenAI SDKs", ({ url, key }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
  })),
  client(
    "copilot",
    "Copilot CLI",
    ({ url, key }) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: key,
    }),
    ["Copilot CLI wants the name of a model too: COPILOT_MODEL, or --model."],
  ),
];

function client(
  id: string,
  name: string,
  variables: (connection: Connection) => Record<string, string>,
  notes: readonly string[] = [],
): Connector {
  return { id, name, edits: () => [], variables, needsModels: false, notes };
}
