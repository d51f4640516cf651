import { defaultCapabilities } from "../../exchange/capabilities.ts";
import type { DialectProfile, UpstreamProfile } from "../../exchange/dialect-profile.ts";
import { openAiChunks, openAiClient, openAiUpstream } from "../shared/openai-profile.ts";

declare module "../../exchange/parts.ts" {
  interface DialectNames {
    "chat-completions": "upstream";
  }
}

/** OpenAI's `/v1/chat/completions` and everything compatible with it. */
export const profile: DialectProfile<UpstreamProfile> = {
  name: "chat-completions",
  nativeUpstream: "chat-completions",
  client: openAiClient,
  response: openAiChunks,
  upstream: {
    ...openAiUpstream,
    reportsUsageOnRequest: true,
    hasGateways: true,
    // Cautious: hundreds of compatible servers speak this dialect.
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
