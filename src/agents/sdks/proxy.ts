import { variablesOnly } from "../proxy-connector.ts";

export const openAiConnector = variablesOnly({
  dialects: ["chat-completions", "responses"],
  keyVariable: "OPENAI_API_KEY",
  address: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
});

export const anthropicConnector = variablesOnly({
  dialects: ["messages"],
  keyVariable: "ANTHROPIC_API_KEY",
  address: (url) => ({ ANTHROPIC_BASE_URL: url }),
});

export const googleConnector = variablesOnly({
  dialects: ["generative-language"],
  keyVariable: "GEMINI_API_KEY",
  address: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
});
