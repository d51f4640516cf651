import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import { loseEarlierSignature } from "../../exchange/signature.ts";

/** `extra_content.google.thought_signature`: where Google's OpenAI compatibility keeps what it signs calls and texts with. */
export function googleSignature(extra: unknown): string | undefined {
  const google = isObject(extra) ? extra["google"] : undefined;
  const signature = isObject(google) ? google["thought_signature"] : undefined;
  return typeof signature === "string" ? signature : undefined;
}

/** See `googleSignature`: the member of a call or a message; none where it is not signed. */
export function googleExtra(signature: string | undefined): { readonly extra_content?: unknown } {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** A message's signature is its last text's. */
export function signText(parts: readonly Part[], extra: unknown): Part[] {
  const signature = googleSignature(extra);
  const last = parts.findLastIndex((part) => part.type === "text");
  if (signature === undefined || last < 0) return [...parts];
  return parts.map((part, at) => (at === last && part.type === "text" ? { ...part, signature } : part));
}

/** The signature of a message with these parts. */
export function signatureOfTexts(parts: readonly Part[], list: LossList): string | undefined {
  const signatures = parts.flatMap((part) => (part.type === "text" ? (part.signature ?? []) : []));
  if (signatures.length > 1) loseEarlierSignature(list);
  return signatures.at(-1);
}
