import type { DialectProfile, DialectRoute } from "../../exchange/dialect-profile.ts";
import { openAiChunks, openAiClient } from "../shared/openai-profile.ts";

declare module "../../exchange/parts.ts" {
  interface DialectNames {
    completions: "client";
  }
}

const routes: readonly DialectRoute[] = [
  { method: "POST", path: "/v1/completions", operation: "generate", body: "whole" },
];

/** The profile of OpenAI's legacy `/v1/completions`: a prompt and its completion. */
export const profile: DialectProfile<undefined> = {
  name: "completions",
  nativeUpstream: "chat-completions",
  client: { ...openAiClient, routes, generateOperation: "text_completion" },
  response: openAiChunks,
  upstream: undefined,
  mediaForm: "openai",
  storesResponses: false,
  callIds: { pattern: /^[^\s]+$/, maxLength: 64 },
};
