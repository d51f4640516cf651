import { join } from "node:path";
import { jsonMembers } from "../file-edits/json-members.ts";
import type { ProxyConnector } from "../proxy-connector.ts";

/**
 * Connects pi through a separate provider in models.json (its docs/models.md), beside the person's; tested with
 * 0.73.1.
 */
export const connector: ProxyConnector = {
  edits: ({ home, environment }, { url, key, models }) => [
    jsonMembers(
      join(environment["PI_CODING_AGENT_DIR"] || join(home, ".pi", "agent"), "models.json"),
      "the provider sallyport",
      [
        [
          ["providers", "sallyport"],
          {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            // pi replaces the name of an environment variable with its value.
            apiKey: key ?? "OPENAI_API_KEY",
            models: models.map((id) => ({ id })),
          },
        ],
      ],
    ),
  ],
  variables: () => ({}),
  dialects: ["chat-completions"],
  sendsKeyBesideLogin: false,
  needsModels: true,
  notes: () => [
    "Choose a model of the provider sallyport with /model. Run this command again when the proxy's models change.",
  ],
};
