import { AppError } from "../../errors.ts";
import { getProfile } from "../dialects/index.ts";
import { estimateTokens } from "../usage/estimate-tokens.ts";
import type { Call } from "./call.ts";
import { respondWithJson } from "./client-response.ts";

/** Responds to a token count with an estimate of the proxy's, marked as one by a header. */
export function respondWithTokenEstimate(call: Call, body: Buffer | undefined): void {
  const { client } = getProfile(call.dialect);
  const response = JSON.stringify(client.encodeTokenCount(estimateTokens(parse(body), client.imageTokens)));
  call.status = 200;
  respondWithJson(call, 200, response, ["x-sallyport-estimated", "true"]);
}

function parse(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString("utf8") ?? "{}");
  } catch (error) {
    throw new AppError("validation", "The body is not valid JSON", { cause: error });
  }
}
