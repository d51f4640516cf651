import { join } from "node:path";
import type { Connector } from "../connector.ts";
import { jsonMembers } from "../file-edits/json-members.ts";
import { openCodeFolder } from "./install.ts";

/** As OpenCode 1.18.33 reads opencode.json: a provider of its own beside the person's. */
export const openCodeConnector: Connector = {
  id: "opencode",
  name: "OpenCode",
  edits: (place, { url, key, models }) => [
    jsonMembers(join(place.project ?? openCodeFolder(place), "opencode.json"), "the provider sallyport", [
      [
        ["provider", "sallyport"],
        {
          npm: "@ai-sdk/openai-compatible",
          name: "Sallyport",
          options: { baseURL: `${url}/v1`, apiKey: key ?? "{env:OPENAI_API_KEY}" },
          models: Object.fromEntries(models.map((model) => [model, { name: model }])),
        },
      ],
    ]),
  ],
  variables: () => ({}),
  dialects: ["chat-completions"],
  sendsKeyBesideLogin: false,
  needsModels: true,
  notes: () => [
    "Choose a model of the provider Sallyport with /models. Connect again when the proxy offers others.",
  ],
};
