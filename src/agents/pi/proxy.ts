import { join } from "node:path";
import { jsonMembers } from "../file-edits/json-members.ts";
import type { ProxyConnector } from "../proxy-connector.ts";

/** As pi 0.73.1 reads models.json (its docs/models.md): a provider of its own beside the person's. */
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
            // A variable's name stands for its value.
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
    "Choose a model of the provider sallyport with /model. Connect again when the proxy offers others.",
  ],
};
