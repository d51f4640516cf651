import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { isRestored } from "./relocate.ts";

/** The state of a request from an earlier round. */
export interface RequestState {
  readonly text: string;
  /** Whether the plan now meets the request; undefined if the annotation requests no exact change. */
  readonly isMet?: boolean;
}

/**
 * Describes whether a plan meets the request of an annotation that was made on the plan `before`, ignoring differences
 * in whitespace. `lost`: the plan no longer contains the text of the annotation. Pure.
 */
export function requestState(
  before: string,
  after: MarkdownDocument,
  { type, anchor, replacement = "" }: PlanAnnotation,
  lost: boolean,
): RequestState {
  if (!anchor) return { text: "" };
  if (anchor.removed) return { text: isRestored(after, anchor) ? "text restored" : "text still removed" };
  if (type === "insert" && replacement.trim() !== "") {
    const isInserted = occurrences(after.source, replacement) > occurrences(before, replacement);
    return { text: isInserted ? "inserted as requested" : "not inserted", isMet: isInserted };
  }
  if (type === "delete" || (type === "replace" && replacement.trim() === "")) {
    const original = before.slice(anchor.start, anchor.end);
    const isRemoved = occurrences(after.source, original) < occurrences(before, original);
    if (isRemoved && lost) return { text: "removed as requested", isMet: true };
    return { text: isRemoved || lost ? "text changed, not removed" : "still there", isMet: false };
  }
  if (type === "replace") {
    const isReplaced = occurrences(after.source, replacement) > occurrences(before, replacement);
    // The new text can contain the old one.
    const keepsOld = fold(replacement).includes(fold(before.slice(anchor.start, anchor.end)));
    if (isReplaced && (lost || keepsOld)) return { text: "replaced as requested", isMet: true };
    return { text: lost ? "text changed, not as requested" : "not replaced", isMet: false };
  }
  return { text: lost ? "text changed" : "text unchanged" };
}

/** Returns the number of occurrences of a text in another text, ignoring differences in whitespace. */
function occurrences(source: string, text: string): number {
  const [within, wanted] = [fold(source), fold(text)];
  if (wanted === "") return 0;
  let count = 0;
  for (let at = within.indexOf(wanted); at >= 0; at = within.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

const fold = (text: string) => text.trim().replace(/\s+/g, " ");
