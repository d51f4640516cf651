import { answerJson, type Call } from "../call.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** Answers a count_tokens call with an estimate of ours, marked as one by a header. */
export function answerEstimate(call: Call, body: Buffer | undefined): void {
  const tokens = estimateTokens(JSON.parse(body?.toString("utf8") ?? "{}"));
  const answer = call.dialect === "generative-language" ? { totalTokens: tokens } : { input_tokens: tokens };
  call.status = 200;
  answerJson(call, 200, JSON.stringify(answer), ["x-sallyport-estimated", "true"]);
}
