import { isObject } from "../../exchange/json.ts";
import type { TokenLogprob } from "../../exchange/parts.ts";
import { decodeTokens, encodeTokens } from "../shared/token-logprobs.ts";

/** `logprobs` of a choice, whole or in a stream; those of a refusal have no twin elsewhere. */
export function decodeLogprobs(logprobs: unknown): readonly TokenLogprob[] | undefined {
  return isObject(logprobs) ? decodeTokens(logprobs["content"]) : undefined;
}

/** See `decodeLogprobs`; null where nothing is known, as the dialect has it. */
export function encodeLogprobs(tokens: readonly TokenLogprob[] | undefined): unknown {
  return tokens === undefined || tokens.length === 0
    ? null
    : { content: encodeTokens(tokens), refusal: null };
}
