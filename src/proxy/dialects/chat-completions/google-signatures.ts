import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import { loseEarlierSignature } from "../../exchange/signature.ts";

/**
 * Returns `extra_content.google.thought_signature`, the signature of a tool call or a text in Google's
 * OpenAI-compatible API.
 */
export function googleSignature(extra: unknown): string | undefined {
  const google = isObject(extra) ? extra["google"] : undefined;
  const signature = isObject(google) ? google["thought_signature"] : undefined;
  return typeof signature === "string" ? signature : undefined;
}

/** Returns the member `extra_content` with a signature; an empty object without a signature. See `googleSignature`. */
export function googleExtra(signature: string | undefined): { readonly extra_content?: unknown } {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** Returns the parts of a message with the message's signature attached to the last text. */
export function signText(parts: readonly Part[], extra: unknown): Part[] {
  const signature = googleSignature(extra);
  const last = parts.findLastIndex((part) => part.type === "text");
  if (signature === undefined || last < 0) return [...parts];
  return parts.map((part, at) => (at === last && part.type === "text" ? { ...part, signature } : part));
}

/** Returns the signature of the last signed text and adds a loss if there are several. */
export function findTextSignature(parts: readonly Part[], list: LossList): string | undefined {
  const signatures = parts.flatMap((part) => (part.type === "text" ? (part.signature ?? []) : []));
  if (signatures.length > 1) loseEarlierSignature(list);
  return signatures.at(-1);
}
