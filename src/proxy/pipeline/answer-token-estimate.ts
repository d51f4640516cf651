import { AppError } from "../../errors.ts";
import { getProfile } from "../dialects/index.ts";
import { estimateTokens } from "../usage/estimate-tokens.ts";
import type { Call } from "./call.ts";
import { answerJson } from "./client-response.ts";

/** Answers a count_tokens call with an estimate of ours, marked as one by a header. */
export function answerEstimate(call: Call, body: Buffer | undefined): void {
  const { client } = getProfile(call.dialect);
  const tokens = estimateTokens(parsed(body), client.imageTokens);
  call.status = 200;
  answerJson(call, 200, JSON.stringify(client.encodeTokenCount(tokens)), ["x-sallyport-estimated", "true"]);
}

function parsed(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString("utf8") ?? "{}");
  } catch (error) {
    throw new AppError("validation", "The body is not valid JSON", { cause: error });
  }
}
