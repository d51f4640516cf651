import type { UpstreamDialect } from "../config/proxy/config.ts";
import type { Connection, Connector } from "./connector.ts";

/** Clients that read their settings from variables alone. */
export const byVariables: readonly Connector[] = [
  client("openai", "OpenAI SDKs", ["chat-completions", "responses"], "OPENAI_API_KEY", ({ url }) => ({
    OPENAI_BASE_URL: `${url}/v1`,
  })),
  client("anthropic", "Anthropic SDKs", ["messages"], "ANTHROPIC_API_KEY", ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
  })),
  client("google", "Google GenAI SDKs", ["generative-language"], "GEMINI_API_KEY", ({ url }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
  })),
  client(
    "copilot",
    "Copilot CLI",
    ["chat-completions"],
    "COPILOT_PROVIDER_API_KEY",
    ({ url }) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_TYPE: "openai" }),
    ["Copilot CLI wants the name of a model too: COPILOT_MODEL, or --model."],
  ),
];

function client(
  id: string,
  name: string,
  dialects: readonly UpstreamDialect[],
  keyVariable: string,
  address: (connection: Connection) => Record<string, string>,
  notes: readonly string[] = [],
): Connector {
  return {
    id,
    name,
    dialects,
    sendsKeyBesideLogin: false,
    edits: () => [],
    variables: (connection) => ({
      ...address(connection),
      ...(connection.key === undefined ? {} : { [keyVariable]: connection.key }),
    }),
    needsModels: false,
    notes: ({ key }) =>
      key === undefined ? [`${keyVariable} stays your own; the proxy passes it on.`, ...notes] : notes,
  };
}
