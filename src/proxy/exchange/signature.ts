import type { Dialect, Part, ReasoningPart, ToolCallPart } from "./parts.ts";

/**
 * Signed thinking passes through clients of other dialects sealed: its vendor is written in front, so that the
 * signature finds back to the vendor that made it and reaches no other. The form is `sally1.<vendor>.<signature>`, and
 * `sally1.<vendor>.redacted.<data>` for thinking of which there is nothing else, which its vendor wants back as such
 * (signatures are base64, without points).
 */
const seal = /^sally1\.(chat-completions|responses|messages|generative-language)\.(redacted\.)?(.*)$/s;

/** A signature for a client of `dialect`: bare where it is the vendor's own client, sealed elsewhere. */
export function sealSignature(
  dialect: Dialect,
  vendor: Dialect | undefined,
  signature: string,
  isRedacted = false,
): string {
  if (vendor === undefined || vendor === dialect) return signature;
  return `sally1.${vendor}.${isRedacted ? "redacted." : ""}${signature}`;
}

export interface OpenedSignature {
  readonly vendor: Dialect;
  readonly signature: string;
  readonly redacted?: true;
}

/** Whose signature this is. A bare one belongs to the dialect it was found in. */
export function openSignature(dialect: Dialect, text: string): OpenedSignature {
  const [, vendor, redacted, signature] = seal.exec(text) ?? [];
  if (vendor === undefined || signature === undefined) return { vendor: dialect, signature: text };
  const opened = { vendor: vendor as Dialect, signature };
  return redacted === undefined ? opened : { redacted: true, ...opened };
}

/**
 * Generative-language signs calls; dialects whose calls have no place for that get a reasoning part without text in
 * front of the call (`spreadCallSignatures`), and give it back there (`foldCallSignatures`).
 */
export function spreadCallSignatures(parts: readonly Part[]): readonly Part[] {
  if (!parts.some((part) => part.type === "tool-call" && part.signature !== undefined)) return parts;
  return parts.flatMap((part): Part[] => {
    if (part.type !== "tool-call" || part.signature === undefined) return [part];
    const { signature, ...call } = part;
    return [{ type: "reasoning", text: "", vendor: "generative-language", signature }, call];
  });
}

/** See `spreadCallSignatures`. */
export function foldCallSignatures(parts: readonly Part[]): readonly Part[] {
  const folded: Part[] = [];
  for (const part of parts) {
    const before = folded.at(-1);
    if (part.type === "tool-call" && before !== undefined && isCallSignature(before)) {
      folded[folded.length - 1] = { ...part, signature: before.signature } satisfies ToolCallPart;
    } else folded.push(part);
  }
  return folded;
}

function isCallSignature(part: Part): part is ReasoningPart & { readonly signature: string } {
  return (
    part.type === "reasoning" &&
    part.text === "" &&
    part.redacted !== true &&
    part.vendor === "generative-language" &&
    part.signature !== undefined
  );
}
