import type { AzurePlatform } from "../../../config/proxy/config.ts";
import type { PlatformChanges, PlatformRequest } from "./platform.ts";

/** Operations that deployments have. https://learn.microsoft.com/azure/ai-foundry/openai/reference */
const OF_DEPLOYMENTS = /^\/(?:chat\/completions|completions|embeddings|images\/generations|audio\/)/;

/** Returns a request in the form of Azure OpenAI: with `deployments`, the model is part of the path. */
export function toAzure({ path, body }: PlatformRequest, { deployments }: AzurePlatform): PlatformChanges {
  const model = body?.["model"];
  if (!deployments || typeof model !== "string" || !OF_DEPLOYMENTS.test(path)) return {};
  return { path: `/deployments/${encodeURIComponent(model)}${path}` };
}
