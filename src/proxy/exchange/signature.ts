import type { LossList } from "./loss.ts";
import type { Dialect, Part, ReasoningPart } from "./parts.ts";

/**
 * Matches a wrapped signature: an envelope that names the vendor, so that the proxy sends the signature back only to
 * that vendor. The envelope is `sally1.<vendor>.<signature>`; for redacted reasoning, it is
 * `sally1.<vendor>.redacted.<data>`, and for the signature of a text part, `sally1.<vendor>.text.<signature>`. A
 * signature is base64 and contains no periods. For generative-language clients, the envelope is encoded in base64,
 * because Google's SDKs for Python and Go decode signatures.
 */
const wrappedPattern = /^sally1\.([a-z]+(?:-[a-z]+)*)\.(?:(redacted|text)\.)?(.*)$/s;

/**
 * Returns the signature of a part for a client of `dialect`: unchanged if this is the vendor's own dialect or the
 * vendor is not known, else wrapped. A missing signature counts as empty. `encode` converts the envelope.
 */
export function wrapSignature(
  dialect: Dialect,
  part: Omit<ReasoningPart, "type" | "text">,
  encode: (text: string) => string = (text) => text,
): string {
  const { vendor, signature = "" } = part;
  if (vendor === undefined || vendor === dialect) return signature;
  const kind = part.ofText === true ? "text." : part.redacted === true ? "redacted." : "";
  const text = `sally1.${vendor}.${kind}${signature}`;
  return encode(text);
}

/** Prefix of an envelope. */
export const SIGNATURE_PREFIX = "sally1.";
/** The base64 encoding of the prefix, without the last character, which depends on the text after the prefix. */
export const ENCODED_SIGNATURE_PREFIX = "c2FsbHkxL";

export interface UnwrappedSignature {
  readonly vendor: Dialect;
  readonly signature: string;
  readonly redacted?: true;
  readonly ofText?: true;
}

/**
 * Takes a signature out of its envelope. A signature without an envelope belongs to the vendor of `dialect`. An
 * envelope in base64 can be in either alphabet, because Google's SDK for Python sends the URL-safe one.
 */
export function unwrapSignature(dialect: Dialect, text: string): UnwrappedSignature {
  const plain = text.startsWith(ENCODED_SIGNATURE_PREFIX) ? Buffer.from(text, "base64").toString() : text;
  const [, vendor, kind, signature] = wrappedPattern.exec(plain) ?? [];
  if (vendor === undefined || signature === undefined) return { vendor: dialect, signature: text };
  const unwrapped = { vendor: vendor as Dialect, signature };
  if (kind === "text") return { ofText: true, ...unwrapped };
  return kind === "redacted" ? { redacted: true, ...unwrapped } : unwrapped;
}

/**
 * Moves the signature of each tool call into a reasoning part without text, directly before the call, for dialects
 * whose calls have no signatures. `attachSignatures` moves the signatures back.
 */
export function detachCallSignatures(parts: readonly Part[]): readonly Part[] {
  if (!parts.some((part) => part.type === "tool-call" && part.signature !== undefined)) return parts;
  return parts.flatMap((part): Part[] => {
    if (part.type !== "tool-call" || part.signature === undefined) return [part];
    const { signature, ...call } = part;
    return [createCallSignaturePart(signature), call];
  });
}

/**
 * Moves the signatures of texts into reasoning parts. Adjacent texts become one message with one signature, and vendors
 * send a signature after the text, so the reasoning part follows the last of the texts. If several of them have a
 * signature, the last one is kept, and the loss of the others is reported in `list`.
 */
export function detachTextSignatures(parts: readonly Part[], list: LossList): readonly Part[] {
  if (!parts.some((part) => part.type === "text" && part.signature !== undefined)) return parts;
  const detached: Part[] = [];
  let waiting: string | undefined;
  const flush = () => {
    if (waiting !== undefined) detached.push(createTextSignaturePart(waiting));
    waiting = undefined;
  };
  for (const part of parts) {
    if (part.type !== "text" && part.type !== "refusal") flush();
    if (part.type !== "text" || part.signature === undefined) {
      detached.push(part);
      continue;
    }
    const { signature, ...text } = part;
    detached.push(text);
    if (waiting !== undefined) loseEarlierSignature(list);
    waiting = signature;
  }
  flush();
  return detached;
}

/** Reports that a message has several signatures, of which only the last one is kept. */
export function loseEarlierSignature(list: LossList): void {
  list.add("part-signature", "Only the last signature of a message is returned.");
}

/** Reports that a text's signature was dropped because the client's dialect has no member for it. */
export function loseTextSignature(list: LossList): void {
  list.add("part-signature", "Signature of a text dropped: the dialect has no equivalent.");
}

/** The only dialect whose models sign tool calls and texts, not only reasoning. */
const CALL_SIGNER: Dialect = "generative-language";

/** Returns a part that carries the signature of the call after it. */
export function createCallSignaturePart(signature: string): ReasoningPart {
  return { type: "reasoning", text: "", vendor: CALL_SIGNER, signature };
}

/** Returns a part that carries the signature of the text before it. */
export function createTextSignaturePart(signature: string): ReasoningPart {
  return { ...createCallSignaturePart(signature), ofText: true };
}

/** Reverses `detachCallSignatures` and `detachTextSignatures`. */
export function attachSignatures(parts: readonly Part[]): readonly Part[] {
  const attached: Part[] = [];
  for (const part of parts) {
    const before = attached.at(-1);
    const signature = toSignatureOnly(part);
    const signed = before === undefined ? undefined : toSignatureOnly(before);
    if (before?.type === "text" && signature?.ofText === true) {
      attached[attached.length - 1] = { ...before, signature: signature.signature };
    } else if (part.type === "tool-call" && signed !== undefined && signed.ofText !== true) {
      attached[attached.length - 1] = { ...part, signature: signed.signature };
    } else attached.push(part);
  }
  return attached;
}

/** Returns the part if it contains only a generative-language signature; otherwise undefined. */
function toSignatureOnly(part: Part): (ReasoningPart & { readonly signature: string }) | undefined {
  if (part.type !== "reasoning" || part.text !== "" || part.redacted === true) return undefined;
  const { vendor, signature } = part;
  return vendor === CALL_SIGNER && signature !== undefined ? { ...part, signature } : undefined;
}

/** Prefix of the `encrypted_content` of a compaction item whose summary a model wrote at the proxy's request. */
const SUMMARY_PREFIX = `${SIGNATURE_PREFIX}summary.`;

/** Encodes a summary as the `encrypted_content` of a compaction item, which clients send back unchanged. */
export function wrapSummary(summary: string): string {
  return SUMMARY_PREFIX + Buffer.from(summary).toString("base64url");
}

/** Returns the summary in an `encrypted_content`; undefined if the proxy did not create this content. */
export function unwrapSummary(content: unknown): string | undefined {
  if (typeof content !== "string" || !content.startsWith(SUMMARY_PREFIX)) return undefined;
  return Buffer.from(content.slice(SUMMARY_PREFIX.length), "base64url").toString();
}

/** Returns the text that is sent to a model instead of the messages that a summary replaces. */
export function introduceSummary(summary: string): string {
  return `The earlier part of this conversation was replaced by this summary:\n\n${summary}`;
}
