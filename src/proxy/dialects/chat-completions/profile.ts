import { defaultCapabilities } from "../../exchange/capabilities.ts";
import type { DialectProfile, DialectRoute, UpstreamProfile } from "../../exchange/dialect-profile.ts";
import { openAiChunks, openAiClient, openAiUpstream } from "../shared/openai-profile.ts";

declare module "../../exchange/parts.ts" {
  interface DialectNames {
    "chat-completions": "upstream";
  }
}

const routes: readonly DialectRoute[] = [
  { method: "POST", path: "/v1/chat/completions", operation: "generate", body: "whole" },
  { method: "POST", path: "/v1/images/generations", operation: "image-generation", body: "whole" },
  { method: "POST", path: "/v1/images/edits", operation: "image-edit", body: "streamed" },
  { method: "POST", path: "/v1/audio/transcriptions", operation: "transcription", body: "streamed" },
  { method: "POST", path: "/v1/embeddings", operation: "embed", body: "whole" },
];

/** The profile of OpenAI's `/v1/chat/completions` and compatible APIs. */
export const profile: DialectProfile<UpstreamProfile> = {
  name: "chat-completions",
  nativeUpstream: "chat-completions",
  client: { ...openAiClient, routes, forgetsReasoning: true },
  response: openAiChunks,
  upstream: {
    ...openAiUpstream,
    reportsUsageOnRequest: true,
    hasGateways: true,
    candidatesMember: "n",
    // Conservative defaults, because hundreds of compatible servers implement this dialect.
    capabilities: {
      ...defaultCapabilities,
      acceptsTopK: false,
      optionalMembers: ["reasoning_details", "extra_content"],
    },
    createSmallestCall: (model, maxTokensName) => ({
      path: "/chat/completions",
      body: { model, [maxTokensName]: 1, messages: [{ role: "user", content: "Hi" }] },
    }),
  },
  mediaForm: "openai",
  storesResponses: false,
  callIds: { pattern: /^[^\s]+$/, maxLength: 64 },
  turnsMember: "messages",
};
