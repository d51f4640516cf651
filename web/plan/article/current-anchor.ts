import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import { sourceLines } from "../../../src/render/markdown/parse/source-lines.ts";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { removedElement, selectedRange, selectedRemoval } from "../dom/text-points.ts";
import { blockAnchor, linesAnchor, removedAnchor, type TextRange, toAnchor } from "../model/anchor.ts";
import { useReview } from "../state/review-store.ts";

/**
 * Returns the anchor on which a key acts: the selection or, if no text is selected, the block or removed text at the
 * cursor.
 */
export function currentAnchor(): PlanAnchor | undefined {
  const { document: plan, cursor, removedCursor } = useReview.getState();
  const selected = selectedAnchor();
  if (selected) return selected;
  const root = document.querySelector(".plan");
  const removed = root && removedCursor !== undefined && removedElement(root, removedCursor);
  if (removed) return toRemovalAnchor(plan, removed);
  return cursor === undefined ? undefined : blockAnchor(plan, cursor);
}

/** Returns the anchor of the selected text, source lines or lines of the raw diff; undefined if none are selected. */
export function selectedAnchor(): PlanAnchor | undefined {
  const { document: plan } = useReview.getState();
  const selection = getSelection();
  const removed = removedLines(plan, selection);
  if (removed) return removed;
  const lines = selectedLines(selection);
  if (lines) return linesAnchor(plan, ...lines);
  const root = document.querySelector(".plan");
  return root ? toSelectionAnchor(root, plan, selection) : undefined;
}

/** Returns the anchor of the selection: text of the plan, or removed text. */
export function toSelectionAnchor(
  root: Element,
  plan: MarkdownDocument,
  selection: Selection | null,
): PlanAnchor | undefined {
  const range = selectedRange(root, selection);
  if (range) return toAnchor(plan, wordBounds(plan, range));
  const removal = selectedRemoval(root, selection);
  return removal && toRemovalAnchor(plan, removal.element, removal.quote);
}

/** Extends a range to whole words. */
function wordBounds(plan: MarkdownDocument, { first, last }: TextRange): TextRange {
  const start = wordAt(plan.leaves[first.leaf]?.text ?? "", first.offset);
  const end = wordAt(plan.leaves[last.leaf]?.text ?? "", last.offset);
  return {
    first: { ...first, offset: start?.start ?? first.offset },
    last: { ...last, offset: end?.end ?? last.offset },
  };
}

const wordSegmenter =
  typeof Intl.Segmenter === "undefined" ? undefined : new Intl.Segmenter(undefined, { granularity: "word" });
/** Number of characters on either side that are searched for a word boundary. */
const REACH = 60;

/** Returns the word that contains an offset; undefined at an edge of a word or between words. */
function wordAt(text: string, offset: number): { readonly start: number; readonly end: number } | undefined {
  const from = Math.max(0, offset - REACH);
  const piece = text.slice(from, offset + REACH);
  const found =
    offset - from < piece.length ? wordSegmenter?.segment(piece).containing(offset - from) : undefined;
  if (!found?.isWordLike || from + found.index === offset) return undefined;
  return { start: from + found.index, end: from + found.index + found.segment.length };
}

/** Returns the anchor of a removed text. `quote` is the annotated part of the text, by default all of it. */
export function toRemovalAnchor(plan: MarkdownDocument, element: HTMLElement, quote?: string): PlanAnchor {
  return removedAnchor(plan, Number(element.dataset["at"]), quote ?? (element.textContent ?? "").trim());
}

/** Returns the anchor of selected lines of the raw diff, if all of them were removed. */
function removedLines(plan: MarkdownDocument, selection: Selection | null): PlanAnchor | undefined {
  if (!selection || selection.isCollapsed) return undefined;
  const range = selection.getRangeAt(0);
  const rows = [...document.querySelectorAll<HTMLElement>(".raw-changes .source-line")].filter((row) =>
    range.intersectsNode(row),
  );
  const texts = rows.map(({ dataset }) => dataset["removedLine"]);
  if (rows.length === 0 || texts.includes(undefined)) return undefined;
  const at = sourceLines(plan.source).start(Number(rows[0]?.dataset["line"]) - 1);
  return removedAnchor(plan, at, texts.join("\n"));
}

/** Returns the first and the last selected line of the source view or of the raw diff. */
function selectedLines(selection: Selection | null): [number, number] | undefined {
  if (!selection || selection.isCollapsed) return undefined;
  const { startContainer, endContainer, endOffset } = selection.getRangeAt(0);
  const [first, last] = [lineAt(startContainer), lineAt(endContainer)];
  if (first === undefined || last === undefined) return undefined;
  // A selection that ends before the first character of a line does not include that line.
  return [first, endOffset === 0 && last > first ? last - 1 : last];
}

function lineAt(node: Node): number | undefined {
  const element = node instanceof Element ? node : node.parentElement;
  const line = element?.closest<HTMLElement>(".source-line")?.dataset["line"];
  return line === undefined ? undefined : Number(line);
}
