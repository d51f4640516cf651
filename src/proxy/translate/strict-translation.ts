import { type DialectError, invalidRequest } from "../exchange/dialect-error.ts";
import type { Loss } from "../exchange/loss.ts";

/** Throws `DialectError` (400) where something would be lost of a call that has to be translated whole. */
export function refuseLosses({ strict }: { readonly strict: boolean }, losses: readonly Loss[]): void {
  if (strict && losses.length > 0) throw refusal(STRICT, losses);
}

/** Why a call is refused under `strict_translation`. */
export const STRICT = "strict_translation refuses a call that cannot be translated without loss.";

/** A refusal that names every loss. */
export function refusal(why: string, losses: readonly Loss[]): DialectError {
  return invalidRequest([why, ...losses.map(({ code, detail }) => `${code}: ${detail}`)].join(" "));
}
