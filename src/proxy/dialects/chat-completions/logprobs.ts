import { isObject } from "../../exchange/json.ts";
import type { TokenLogprob } from "../../exchange/parts.ts";
import { decodeTokens, encodeTokens } from "../shared/token-logprobs.ts";

/** Converts the `logprobs` of a choice or a delta. Ignores those of a refusal, which no other dialect supports. */
export function decodeLogprobs(logprobs: unknown): readonly TokenLogprob[] | undefined {
  return isObject(logprobs) ? decodeTokens(logprobs["content"]) : undefined;
}

/** Encodes the `logprobs` of a choice or a delta; null if there are none. */
export function encodeLogprobs(tokens: readonly TokenLogprob[] | undefined): unknown {
  return tokens === undefined || tokens.length === 0
    ? null
    : { content: encodeTokens(tokens), refusal: null };
}
