import { variablesOnly } from "../proxy-connector.ts";

export const connector = variablesOnly({
  dialects: ["chat-completions"],
  keyVariable: "COPILOT_PROVIDER_API_KEY",
  address: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_TYPE: "openai" }),
  notes: ["Copilot CLI also needs a model: set COPILOT_MODEL or pass --model."],
});
