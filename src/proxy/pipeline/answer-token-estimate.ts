import { AppError } from "../../errors.ts";
import { countAnswer } from "../usage/count-answer.ts";
import { estimateTokens } from "../usage/estimate-tokens.ts";
import type { Call } from "./call.ts";
import { answerJson } from "./call-answers.ts";

/** Answers a count_tokens call with an estimate of ours, marked as one by a header. */
export function answerEstimate(call: Call, body: Buffer | undefined): void {
  const isGoogle = call.dialect === "generative-language";
  const tokens = estimateTokens(parsed(body), isGoogle ? "tiles" : "pixels");
  call.status = 200;
  answerJson(call, 200, JSON.stringify(countAnswer(call.dialect, tokens)), ["x-sallyport-estimated", "true"]);
}

function parsed(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString("utf8") ?? "{}");
  } catch (error) {
    throw new AppError("validation", "The body is not valid JSON", { cause: error });
  }
}
