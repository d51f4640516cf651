import { AppError } from "../../../errors.ts";
import { type CloudClient, listNames, pickCountedMembers } from "./cloud-client.ts";

/**
 * Clients of Claude on Google Vertex AI: `…/publishers/anthropic/models/{model}:rawPredict` and `:streamRawPredict`.
 * Responses and errors have Anthropic's own form.
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
export const vertexClient: CloudClient = {
  platform: "vertex",
  readCall(params, _operation, { anthropic_version: _, anthropic_beta, ...body }) {
    const [, model = "", method = ""] = /^([^:]+):(\w+)$/.exec(params["*"] ?? "") ?? [];
    const betas = listNames(anthropic_beta);
    if (method !== "rawPredict" && method !== "streamRawPredict")
      throw new AppError("not_found", "Unknown method; use rawPredict or streamRawPredict");
    if (model === "count-tokens") {
      const counted = { ...pickCountedMembers(body), model: body["model"] };
      return { path: "/v1/messages/count_tokens", body: counted, betas };
    }
    const stream = method === "streamRawPredict" || body["stream"] === true;
    return { path: "/v1/messages", body: { ...body, model, stream }, betas };
  },
  toAnthropicName: (model) => model.replace(/@default$/, "").replace("@", "-"),
  convert: async (response) => ({ status: response.statusCode ?? 502, headers: {}, body: response }),
};
