import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnchor, PlanAnnotation, Round } from "../../../src/review/api-types.ts";
import { documentIndex } from "./document-index.ts";
import { positionAround, relocate } from "./relocate.ts";

export type AnnotationType = PlanAnnotation["type"];

/** How each kind is called on the page. */
export const typeNames: Readonly<Record<AnnotationType, string>> = {
  comment: "Comment",
  replace: "Replace",
  delete: "Delete",
  insert: "Insert after",
  concern: "Concern",
  label: "Label",
  general: "General comment",
};

const PRAISE = "Looks good";

/** Remarks made so often that they deserve to be one click. */
export const quickLabels = [
  "Clarify this",
  "Needs tests",
  "Verify this assumption",
  "Consider alternatives",
  "Too complex: simplify",
  "Out of scope",
  PRAISE,
] as const;

/** Whether a note asks for nothing: the label "Looks good". */
export function isPraise({ type, text }: PlanAnnotation): boolean {
  return type === "label" && text === PRAISE;
}

/** In document order: general comments first, then by place, then by time. */
export function inDocumentOrder(annotations: readonly PlanAnnotation[]): PlanAnnotation[] {
  const startOf = ({ anchor }: PlanAnnotation) => anchor?.start ?? -1;
  return annotations.toSorted(
    (a, b) =>
      startOf(a) - startOf(b) ||
      (a.anchor?.end ?? 0) - (b.anchor?.end ?? 0) ||
      compare(a.createdAt, b.createdAt),
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** A note with its place in another version of the plan; `lost` where its text has gone. */
export interface RelocatedAnnotation {
  readonly annotation: PlanAnnotation;
  readonly lost: boolean;
}

/** Finds every note's place in `document`, a version of the plan other than the one it was made on. */
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

/** The place of one anchor in another version of the plan. */
export function relocateAnchor(document: MarkdownDocument, anchor: PlanAnchor): PlanAnchor {
  return relocate(document, anchor) ?? collapseAnchor(document, anchor);
}

/** One whose text is gone keeps its quote, and points to the place where it was: it covers no text. */
function collapseAnchor(document: MarkdownDocument, anchor: PlanAnchor): PlanAnchor {
  const around = positionAround(document, anchor);
  const { lines } = documentIndex(document);
  const start = around?.start ?? lines.start(Math.min(anchor.startLine, lines.count) - 1);
  const line = lines.at(start) + 1;
  return { ...anchor, start, end: start, startLine: line, endLine: line };
}

/** Names where an annotation is: its lines, or where the removed text was that it quotes. */
export function describePosition(anchor: PlanAnchor): string {
  return anchor.removed ? `text removed near line ${anchor.startLine}` : lineRange(anchor);
}

/** Formats an anchor's lines: "line 4" or "lines 4–9". */
export function lineRange({ startLine, endLine }: PlanAnchor): string {
  return startLine === endLine ? `line ${startLine}` : `lines ${startLine}–${endLine}`;
}

/**
 * The notes of an earlier round that are worth showing beside those of this one: all that were sent, as what was
 * asked for; of those that never were, only what this round's notes do not hold already.
 */
export function pastAnnotations(past: Round, current: readonly PlanAnnotation[]): readonly PlanAnnotation[] {
  if (past.decision) return past.decision.annotations ?? [];
  const known = new Set(current.map(({ id }) => id));
  return annotationsIn(past.draft?.content).filter(
    ({ id }) => !known.has(id) && !known.has(repeatedId(id, past)),
  );
}

/** What a note of an earlier round is called when it is asked for again, so that it is added once. */
export function repeatedId(id: string, { round }: Round): string {
  return `${id}-again-${round}`;
}

/** The notes of a draft, which is this page's own but may be of an older build. */
function annotationsIn(content: unknown): readonly PlanAnnotation[] {
  if (typeof content !== "object" || content === null || !("annotations" in content)) return [];
  return Array.isArray(content.annotations) ? content.annotations : [];
}
