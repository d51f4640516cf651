import { isObject } from "../../exchange/json.ts";
import type { TokenLogprob } from "../../exchange/parts.ts";

/**
 * Parses a list of token log probabilities of chat-completions or responses; returns undefined if it has no tokens.
 */
export function decodeTokens(list: unknown): readonly TokenLogprob[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const tokens = list.filter(isObject).flatMap((entry) => {
    const token = decodeToken(entry);
    const others = Array.isArray(entry["top_logprobs"]) ? entry["top_logprobs"].filter(isObject) : [];
    return token === undefined
      ? []
      : [{ ...token, top: others.flatMap((other) => decodeToken(other) ?? []) }];
  });
  return tokens.length === 0 ? undefined : tokens;
}

function decodeToken(entry: Readonly<Record<string, unknown>>): Omit<TokenLogprob, "top"> | undefined {
  const { token, logprob, bytes } = entry;
  if (typeof token !== "string" || typeof logprob !== "number") return undefined;
  const isKnown = Array.isArray(bytes) && bytes.every((byte) => typeof byte === "number");
  return isKnown ? { token, logprob, bytes } : { token, logprob };
}

/**
 * Encodes token log probabilities; the inverse of `decodeTokens`. If `bytes` is absent, it is computed from the token.
 */
export function encodeTokens(tokens: readonly TokenLogprob[]): readonly unknown[] {
  return tokens.map((token) => ({ ...encodeToken(token), top_logprobs: token.top.map(encodeToken) }));
}

function encodeToken({ token, logprob, bytes }: Omit<TokenLogprob, "top">) {
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}
