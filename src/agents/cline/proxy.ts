import { join } from "node:path";
import { jsonMembers } from "../file-edits/json-members.ts";
import type { ProxyConnector } from "../proxy-connector.ts";
import { clineData } from "./install.ts";

/** Connects Cline by its provider for OpenAI-compatible servers, as `cline auth` writes it; tested with 3.0.65. */
export const connector: ProxyConnector = {
  edits: (target, { url, key, models: [model] }) => [
    jsonMembers(join(clineData(target), "settings", "providers.json"), "model calls through the proxy", [
      [["version"], 1],
      [["lastUsedProvider"], PROVIDER],
      [
        ["providers", PROVIDER],
        {
          settings: {
            provider: PROVIDER,
            ...(key === undefined ? {} : { apiKey: key }),
            ...(model === undefined ? {} : { model }),
            baseUrl: `${url}/v1`,
          },
          updatedAt: "2026-01-01T00:00:00.000Z",
          tokenSource: "manual",
        },
      ],
    ]),
  ],
  variables: () => ({}),
  dialects: ["chat-completions"],
  sendsKeyBesideLogin: false,
  needsModels: true,
  notes: () => ["Choose another of the proxy's models with cline --model."],
};

const PROVIDER = "openai-compatible";
