import { withClosedFence } from "../../../src/render/markdown/closed-fences.ts";
import { fenced } from "../../../src/render/markdown/fences.ts";
import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { NewThreadBody, PlanAnchor, PlanAnnotation, Round } from "../../../src/review/api-types.ts";
import { documentIndex } from "./document-index.ts";
import { isAtPosition, positionAround, relocate } from "./relocate.ts";

export type AnnotationType = PlanAnnotation["type"];

/** Names of the annotation types on the page. */
export const typeNames: Readonly<Record<AnnotationType, string>> = {
  comment: "Comment",
  replace: "Replace",
  delete: "Delete",
  insert: "Insert after",
  concern: "Concern",
  label: "Label",
  general: "General comment",
};

/**
 * Maximum number of annotations whose cards are all in the document. Of a larger number, only the cards near
 * the window are in the document.
 */
export const MAX_RENDERED_CARDS = 100;

const PRAISE = "Looks good";

/** Frequent comments, which the person can add with one click. */
export const quickLabels = [
  "Clarify this",
  "Needs tests",
  "Verify this assumption",
  "Consider alternatives",
  "Too complex: simplify",
  "Out of scope",
  PRAISE,
] as const;

/** Returns whether an annotation requests no change: the label "Looks good". */
export function isPraise({ type, text }: PlanAnnotation): boolean {
  return type === "label" && text === PRAISE;
}

/** Sorts annotations: general comments first, then by position, then by time. */
export function inDocumentOrder(annotations: readonly PlanAnnotation[]): PlanAnnotation[] {
  const getStart = ({ anchor }: PlanAnnotation) => anchor?.start ?? -1;
  return annotations.toSorted(
    (a, b) =>
      getStart(a) - getStart(b) ||
      (a.anchor?.end ?? 0) - (b.anchor?.end ?? 0) ||
      compare(a.createdAt, b.createdAt),
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** An annotation with its position in another version of the plan; `lost` if its text is gone. */
export interface RelocatedAnnotation {
  readonly annotation: PlanAnnotation;
  readonly lost: boolean;
}

/** Finds each annotation in another version of the plan. Collapses an anchor whose text is gone. */
export function relocateAnnotations(
  document: MarkdownDocument,
  annotations: readonly PlanAnnotation[],
): RelocatedAnnotation[] {
  return annotations.map((annotation) => {
    if (!annotation.anchor) return { annotation, lost: false };
    const anchor = relocate(document, annotation.anchor);
    return {
      annotation: { ...annotation, anchor: anchor ?? collapseAnchor(document, annotation.anchor) },
      lost: anchor === undefined,
    };
  });
}

/** Relocates the annotations whose text is not at their position. Returns the others unchanged. */
export function relocateShifted<Anchored extends Pick<PlanAnnotation, "anchor">>(
  document: MarkdownDocument,
  annotations: readonly Anchored[],
): readonly Anchored[] {
  return annotations.map((annotation) => {
    const { anchor } = annotation;
    if (!anchor || isAtPosition(document, anchor)) return annotation;
    return { ...annotation, anchor: relocateAnchor(document, anchor) };
  });
}

/** Finds one anchor in another version of the plan. Collapses the anchor if its text is gone. */
export function relocateAnchor(document: MarkdownDocument, anchor: PlanAnchor): PlanAnchor {
  return relocate(document, anchor) ?? collapseAnchor(document, anchor);
}

/** Collapses an anchor to the position from which its text was removed. The anchor keeps its quote. */
function collapseAnchor(document: MarkdownDocument, anchor: PlanAnchor): PlanAnchor {
  const around = positionAround(document, anchor);
  const { lines } = documentIndex(document);
  const start = around?.start ?? lines.start(Math.min(anchor.startLine, lines.count) - 1);
  const line = lines.at(start) + 1;
  return { ...anchor, start, end: start, startLine: line, endLine: line };
}

/** Describes the position of an annotation: its lines, or the line near which the text was removed. */
export function describePosition(anchor: PlanAnchor): string {
  return anchor.removed ? `text removed near line ${anchor.startLine}` : lineRange(anchor);
}

/** Formats an anchor's lines: "line 4" or "lines 4–9". */
export function lineRange({ startLine, endLine }: PlanAnchor): string {
  return startLine === endLine ? `line ${startLine}` : `lines ${startLine}–${endLine}`;
}

/** Maximum number of annotations whose texts are part of a block's description. */
const MAX_DESCRIBED = 5;

/** Describes the annotations of a block, for assistive technology. */
export function describeAll(annotations: readonly PlanAnnotation[]): string {
  const texts = annotations
    .slice(0, MAX_DESCRIBED)
    .map(({ type, text, replacement }) => [typeNames[type], replacement, text].filter(Boolean).join(": "));
  const more = annotations.length - texts.length;
  const rest = more === 0 ? [] : [more === 1 ? "1 more comment" : `${more} more comments`];
  return [...texts, ...rest].join("; ");
}

/**
 * Returns the annotations to show from an earlier round: those of its decision, or those of an unsent draft
 * that are not in this round yet.
 */
export function pastAnnotations(past: Round, current: readonly PlanAnnotation[]): readonly PlanAnnotation[] {
  if (past.decision) return past.decision.annotations ?? [];
  const known = new Set(current.map(({ id }) => id));
  return annotationsIn(past.draft?.content).filter(
    ({ id }) => !known.has(id) && !known.has(repeatedId(id, past)),
  );
}

/**
 * Returns the id for an annotation of an earlier round that is added again. The id is always the same, so
 * that the annotation is added only once.
 */
export function repeatedId(id: string, { round }: Round): string {
  return `${id}-again-${round}`;
}

/** Reads the annotations of a stored draft, which an older version may have written. */
function annotationsIn(content: unknown): readonly PlanAnnotation[] {
  if (typeof content !== "object" || content === null || !("annotations" in content)) return [];
  return Array.isArray(content.annotations) ? content.annotations : [];
}

/** Returns the request body that stores an annotation as a thread. */
export function threadBody(annotation: PlanAnnotation): NewThreadBody {
  const { anchor, type, replacement } = annotation;
  const isReplacement = type === "replace" || type === "delete";
  return {
    anchor: anchor && !anchor.removed && anchor.end > anchor.start ? planAnchor(anchor) : { kind: "review" },
    type: type === "concern" ? "concern" : isReplacement ? "suggestion" : "comment",
    markdown: threadText(annotation),
    ...(isReplacement && { suggestedCode: type === "delete" ? "" : (replacement ?? "") }),
  };
}

function planAnchor({ start, end }: { readonly start: number; readonly end: number }) {
  return { kind: "plan", start, end } as const;
}

/**
 * Returns the text of an annotation with the request that its type expresses. The text is not empty, because
 * a message must have text.
 */
function threadText({ type, text, replacement, images = [], anchor, author }: PlanAnnotation): string {
  const parts: string[] = [];
  if (anchor?.removed) parts.push(`About text that was removed:\n\n${fenced(anchor.quote, "markdown")}`);
  if (author) parts.push(`From ${author.replace(/\s+/g, " ")}:`);
  if (type === "insert") parts.push(`Add this after it:\n\n${fenced(replacement ?? "", "markdown")}`);
  else if (type === "delete" || (type === "replace" && replacement === "")) parts.push("Remove this.");
  else if (type === "replace" && text.trim() === "") parts.push("Replace this as suggested.");
  if (text.trim() !== "") parts.push(withClosedFence(text.trim()));
  if (images.length > 0)
    parts.push(`Images:\n${images.map(({ name, path }) => `- ${name}: \`${path}\``).join("\n")}`);
  return parts.join("\n\n");
}

/** Formats an annotation for a thread without an anchor in the plan: the quote, then the comment. */
export function threadAsText(annotation: PlanAnnotation): string {
  const { anchor } = annotation;
  const text = threadText(annotation);
  return anchor && !anchor.removed ? `${fenced(anchor.quote, "markdown")}\n\n${text}` : text;
}
