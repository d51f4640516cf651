import { isObject } from "../../exchange/json.ts";
import type { ReasoningPart } from "../../exchange/parts.ts";
import { unwrapSignature, wrapSignature } from "../../exchange/signature.ts";

type Detail = Readonly<Record<string, unknown>>;

/**
 * Converts an entry of `reasoning_details`, OpenRouter's form of signed reasoning. OpenRouter requires the entry
 * unchanged in later requests (https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks), so
 * its other members (`format`, `index`, `id`) become part of the exchange's signature. Returns undefined if the entry
 * has neither text nor signature.
 */
export function decodeReasoningDetail(detail: Detail): ReasoningPart | undefined {
  const text = getText(detail);
  const wrapped = getWrapped(detail);
  if (text === "" && wrapped === undefined) return undefined;
  const redacted = isEncrypted(detail) ? { redacted: true } : {};
  if (wrapped === undefined) return { type: "reasoning", text, vendor: "chat-completions", ...redacted };
  return { type: "reasoning", text, ...unwrapDetail(detail, wrapped), ...redacted };
}

/** Returns the text of an entry or of a fragment of an entry; empty if it has none. */
export function getText({ text, summary }: Detail): string {
  const content = text ?? summary;
  return typeof content === "string" ? content : "";
}

/** Returns whether the reasoning of an entry is encrypted. */
export function isEncrypted(detail: Detail): boolean {
  return detail["type"] === "reasoning.encrypted";
}

/** Returns the signature of an entry and the vendor that created it; undefined if the entry is unsigned. */
export function getSignature(detail: Detail): ReturnType<typeof unwrapSignature> | undefined {
  const wrapped = getWrapped(detail);
  return wrapped === undefined ? undefined : unwrapDetail(detail, wrapped);
}

/**
 * Encodes signed reasoning as an entry of `reasoning_details`; returns undefined for unsigned reasoning. Wraps another
 * vendor's signature, so that the proxy can return the signature to that vendor when the client sends it back.
 */
export function encodeReasoningDetail(part: ReasoningPart): Detail | undefined {
  if (part.signature === undefined) return undefined;
  const own = part.vendor === "chat-completions" ? decodeDetail(part.signature) : undefined;
  if (own !== undefined) {
    const member = own["type"] === "reasoning.summary" ? "summary" : "text";
    return isEncrypted(own) ? own : { ...own, [member]: part.text };
  }
  const signature = wrapSignature("chat-completions", { ...part, redacted: false });
  if (part.redacted === true) return { type: "reasoning.encrypted", data: signature };
  return { type: "reasoning.text", text: part.text, signature };
}

function getWrapped({ signature, data }: Detail): string | undefined {
  return [signature, data].find((value): value is string => typeof value === "string" && value !== "");
}

function unwrapDetail(detail: Detail, wrapped: string): ReturnType<typeof unwrapSignature> {
  const unwrapped = unwrapSignature("chat-completions", wrapped);
  if (unwrapped.vendor !== "chat-completions") return unwrapped;
  const { text: _, summary: __, ...members } = detail;
  const further = Object.entries(members).some(([name, value]) => value !== null && !plain.includes(name));
  return further
    ? { ...unwrapped, signature: DETAIL_PREFIX + Buffer.from(JSON.stringify(members)).toString("base64url") }
    : unwrapped;
}

const plain = ["type", "signature", "data"];
const DETAIL_PREFIX = "detail.";

function decodeDetail(signature: string): Detail | undefined {
  if (!signature.startsWith(DETAIL_PREFIX)) return undefined;
  try {
    const detail: unknown = JSON.parse(
      Buffer.from(signature.slice(DETAIL_PREFIX.length), "base64url").toString(),
    );
    return isObject(detail) ? detail : undefined;
  } catch {
    return undefined;
  }
}
