import { type DialectError, invalidRequest } from "../exchange/dialect-error.ts";
import type { Loss } from "../exchange/loss.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";
import type { ExchangeRequest } from "../exchange/request.ts";

/** Throws `DialectError` (400) if the call requires strict translation and there are losses. */
export function refuseLosses({ strict }: { readonly strict: boolean }, losses: readonly Loss[]): void {
  if (strict && losses.length > 0) throw refusal(STRICT, losses);
}

/** Error message for a call that `strict_translation` rejects. */
export const STRICT = "strict_translation refuses a call that cannot be translated without loss.";

/** Creates the error (400) that lists every loss. */
export function refusal(why: string, losses: readonly Loss[]): DialectError {
  return invalidRequest([why, ...losses.map(({ code, detail }) => `${code}: ${detail}`)].join(" "));
}

/**
 * Throws `DialectError` (400) for a request with `safeguards`, which only Anthropic applies: dropping them would send
 * the request without the protection that the client requested. https://code.claude.com/docs/en/llm-gateway-protocol
 */
export function refuseSafeguards({ extensions }: ExchangeRequest, upstream: UpstreamDialect): void {
  if (upstream === "messages" || extensions.messages?.["safeguards"] === undefined) return;
  throw invalidRequest(`safeguards: the upstream speaks ${upstream}, which has no safeguards.`, "safeguards");
}
