import { join } from "node:path";
import { jsonMembers } from "../file-edits/json-members.ts";
import type { Connection, ProxyConnector } from "../proxy-connector.ts";
import { openCodeFolder } from "./install.ts";

/** Returns the provider in the form of opencode.json. */
function provider({ url, key, models }: Connection) {
  return {
    npm: "@ai-sdk/openai-compatible",
    name: "Sallyport",
    options: { baseURL: `${url}/v1`, apiKey: key ?? "{env:OPENAI_API_KEY}" },
    models: Object.fromEntries(models.map((model) => [model, { name: model }])),
  };
}

/** Connects OpenCode through a separate provider in opencode.json, beside the person's; tested with 1.18.33. */
export const connector: ProxyConnector = {
  edits: (target, connection) => [
    jsonMembers(join(target.project ?? openCodeFolder(target), "opencode.json"), "the provider sallyport", [
      [["provider", "sallyport"], provider(connection)],
    ]),
  ],
  launch: (connection) => ({
    args: [],
    // Merged with the person's files; https://opencode.ai/docs/cli, "Environment variables".
    variables: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { sallyport: provider(connection) } }),
    },
  }),
  variables: () => ({}),
  dialects: ["chat-completions"],
  sendsKeyBesideLogin: false,
  needsModels: true,
  notes: () => [
    "Choose a model of the provider Sallyport with /models. Run this command again when the proxy's models change.",
  ],
};
