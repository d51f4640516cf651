import type { ResponseProfile } from "../../exchange/dialect-profile.ts";
import { fromSeparateThoughtCounts } from "../../exchange/usage.ts";
import { getNumber } from "../shared/profile-values.ts";
import { profile } from "./profile.ts";

/** The responses of Google's Interactions API, which the proxy passes on. https://ai.google.dev/api/interactions-api */
export const interactionResponse: ResponseProfile = {
  ...profile.response,
  usageMember: "usage",
  readUsage: (raw) =>
    fromSeparateThoughtCounts({
      prompt: getNumber(raw, "total_input_tokens"),
      toolPrompt: getNumber(raw, "total_tool_use_tokens"),
      cacheRead: getNumber(raw, "total_cached_tokens"),
      candidates: getNumber(raw, "total_output_tokens"),
      thoughts: getNumber(raw, "total_thought_tokens"),
      raw,
    }),
};
