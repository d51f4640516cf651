import { type DialectError, invalidRequest } from "../exchange/dialect-error.ts";
import type { Loss } from "../exchange/loss.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";
import type { ExchangeRequest } from "../exchange/request.ts";

/** Throws `DialectError` (400) if the call requires `strict_translation` and there are losses. */
export function refuseLosses({ strict }: { readonly strict: boolean }, losses: readonly Loss[]): void {
  if (strict && losses.length > 0) throw refusal(STRICT, losses);
}

/** Error message for a call that `strict_translation` rejects. */
export const STRICT = "strict_translation refuses a call that cannot be translated without loss.";

/** Creates an error (400) whose message lists every loss. */
export function refusal(why: string, losses: readonly Loss[]): DialectError {
  return invalidRequest([why, ...losses.map(({ code, detail }) => `${code}: ${detail}`)].join(" "));
}

/**
 * Throws `DialectError` (400) for a request with `safeguards` if the upstream does not use the messages dialect. Only
 * Anthropic applies them, and without them the request would lack the protection that the client requested.
 * https://code.claude.com/docs/en/llm-gateway-protocol
 */
export function refuseSafeguards({ extensions }: ExchangeRequest, upstream: UpstreamDialect): void {
  if (upstream === "messages" || extensions.messages?.["safeguards"] === undefined) return;
  throw invalidRequest(`safeguards: the upstream's dialect ${upstream} has no safeguards.`, "safeguards");
}
