import { isObject } from "../../exchange/json.ts";
import type { ReasoningPart } from "../../exchange/parts.ts";
import { openSignature, sealSignature } from "../../exchange/signature.ts";

type Detail = Readonly<Record<string, unknown>>;

/**
 * `reasoning_details`, OpenRouter's form of signed thinking, which it wants back as it gave it before a model may go on
 * with its calls (https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks). What it says beside
 * the words (`format`, `index`, the `id` of the call that it belongs to) is part of the signature elsewhere.
 */
export function decodeReasoningDetail(detail: Detail): ReasoningPart | undefined {
  const text = wordsOf(detail);
  const sealed = sealOf(detail);
  if (text === "" && sealed === undefined) return undefined;
  const redacted = isEncrypted(detail) ? { redacted: true } : {};
  if (sealed === undefined) return { type: "reasoning", text, vendor: "chat-completions", ...redacted };
  return { type: "reasoning", text, ...openDetail(detail, sealed), ...redacted };
}

/** The words of a detail, or of a piece of one. */
export function wordsOf({ text, summary }: Detail): string {
  const said = text ?? summary;
  return typeof said === "string" ? said : "";
}

/** Whether a detail's thinking is for nobody's eyes. */
export function isEncrypted(detail: Detail): boolean {
  return detail["type"] === "reasoning.encrypted";
}

/** A detail's signature, and whose it is. */
export function signatureOf(detail: Detail): ReturnType<typeof openSignature> | undefined {
  const sealed = sealOf(detail);
  return sealed === undefined ? undefined : openDetail(detail, sealed);
}

/** Signed thinking as a detail; clients that echo it keep another vendor's signature for that vendor. */
export function encodeReasoningDetail(part: ReasoningPart): Detail | undefined {
  if (part.signature === undefined) return undefined;
  const own = part.vendor === "chat-completions" ? unpack(part.signature) : undefined;
  if (own !== undefined) {
    const words = own["type"] === "reasoning.summary" ? "summary" : "text";
    return isEncrypted(own) ? own : { ...own, [words]: part.text };
  }
  const signature = sealSignature("chat-completions", { ...part, redacted: false });
  if (part.redacted === true) return { type: "reasoning.encrypted", data: signature };
  return { type: "reasoning.text", text: part.text, signature };
}

function sealOf({ signature, data }: Detail): string | undefined {
  return [signature, data].find((value): value is string => typeof value === "string" && value !== "");
}

function openDetail(detail: Detail, sealed: string): ReturnType<typeof openSignature> {
  const opened = openSignature("chat-completions", sealed);
  if (opened.vendor !== "chat-completions") return opened;
  const { text: _, summary: __, ...members } = detail;
  const further = Object.entries(members).some(([name, value]) => value !== null && !plain.includes(name));
  return further
    ? { ...opened, signature: packed + Buffer.from(JSON.stringify(members)).toString("base64url") }
    : opened;
}

const plain = ["type", "signature", "data"];
const packed = "detail.";

function unpack(signature: string): Detail | undefined {
  if (!signature.startsWith(packed)) return undefined;
  try {
    const detail: unknown = JSON.parse(Buffer.from(signature.slice(packed.length), "base64url").toString());
    return isObject(detail) ? detail : undefined;
  } catch {
    return undefined;
  }
}
