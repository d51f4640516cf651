import type { TokenLogprob } from "../../exchange/parts.ts";
import type { WireLogprobs } from "./schema.ts";

/** Converts `logprobsResult` of a candidate or a chunk; undefined if it has no tokens. */
export function decodeLogprobs(result: WireLogprobs | null | undefined): readonly TokenLogprob[] | undefined {
  const others = result?.topCandidates ?? [];
  const tokens = (result?.chosenCandidates ?? []).map((chosen, index) => ({
    ...decodeToken(chosen),
    top: (others[index]?.candidates ?? []).map(decodeToken),
  }));
  return tokens.length === 0 ? undefined : tokens;
}

function decodeToken(candidate: {
  readonly token?: string | null | undefined;
  readonly logProbability?: number | null | undefined;
}) {
  return { token: candidate.token ?? "", logprob: candidate.logProbability ?? 0 };
}

/** Encodes `logprobsResult`; returns an empty object if there are no tokens. */
export function encodeLogprobs(tokens: readonly TokenLogprob[]): Readonly<Record<string, unknown>> {
  if (tokens.length === 0) return {};
  const chosenCandidates = tokens.map(encodeToken);
  const topCandidates = tokens.map(({ top }) => ({ candidates: top.map(encodeToken) }));
  return { logprobsResult: { topCandidates, chosenCandidates } };
}

function encodeToken({ token, logprob }: Pick<TokenLogprob, "token" | "logprob">) {
  return { token, logProbability: logprob };
}
