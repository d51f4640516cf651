import { type DialectError, invalidRequest } from "../exchange/dialect-error.ts";
import type { Loss } from "../exchange/loss.ts";

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
