import type { LossList } from "./loss.ts";
import type { Dialect, Part, ReasoningPart } from "./parts.ts";

/**
 * Signed thinking passes through clients of other dialects sealed: its vendor is written in front, so that the
 * signature finds back to the vendor that made it and reaches no other. The form is `sally1.<vendor>.<signature>`;
 * `sally1.<vendor>.redacted.<data>` for thinking of which there is nothing else, which its vendor wants back as such, and
 * `sally1.<vendor>.text.<signature>` for what belongs to the text before it (signatures are base64, without points).
 * Generative-language clients get all of it in base64: Google's SDKs for Python and Go read signatures as bytes.
 */
const wrappedPattern = /^sally1\.([a-z]+(?:-[a-z]+)*)\.(?:(redacted|text)\.)?(.*)$/s;

/** A part's signature for a client of `dialect`: bare where it is the vendor's own client, sealed elsewhere. */
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

/** How every sealed signature begins. */
export const SIGNATURE_PREFIX = "sally1.";
/** The prefix as base64, as far as it does not depend on what follows; the same in base64's URL-safe alphabet. */
export const ENCODED_SIGNATURE_PREFIX = "c2FsbHkxL";

export interface UnwrappedSignature {
  readonly vendor: Dialect;
  readonly signature: string;
  readonly redacted?: true;
  readonly ofText?: true;
}

/**
 * Returns whose signature this is, and of what. A bare one belongs to the dialect it was found in. Base64 is read in both
 * alphabets, for Google's SDK for Python sends back the URL-safe one.
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
 * Generative-language signs calls; dialects whose calls have no place for that get a reasoning part without text in
 * front of the call, and give it back there (`attachSignatures`).
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
 * The same for texts, whose signature vendors tell last: the reasoning part stands behind all the texts in a row, which
 * are one message and have one signature.
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

/** Tells that of several signatures of one message only the last is kept. */
export function loseEarlierSignature(list: LossList): void {
  list.add("part-signature", "Only the last signature of a message is returned.");
}

/** Tells that a text's signature was left out, for a client whose dialect has no place for it. */
export function loseTextSignature(list: LossList): void {
  list.add("part-signature", "The signature of a text dropped: the dialect has no equivalent.");
}

/** The one dialect whose models sign calls and texts, not only thinking. */
const CALL_SIGNER: Dialect = "generative-language";

/** What stands for the signature of the call behind it. */
export function createCallSignaturePart(signature: string): ReasoningPart {
  return { type: "reasoning", text: "", vendor: CALL_SIGNER, signature };
}

/** What stands for the signature of the text before it. */
export function createTextSignaturePart(signature: string): ReasoningPart {
  return { ...createCallSignaturePart(signature), ofText: true };
}

/** See `detachCallSignatures` and `detachTextSignatures`. */
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

/** A part that is nothing but a signature of generative-language's; undefined for every other. */
function toSignatureOnly(part: Part): (ReasoningPart & { readonly signature: string }) | undefined {
  if (part.type !== "reasoning" || part.text !== "" || part.redacted === true) return undefined;
  const { vendor, signature } = part;
  return vendor === CALL_SIGNER && signature !== undefined ? { ...part, signature } : undefined;
}
