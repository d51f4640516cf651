import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import { sourceLines } from "../../../src/render/markdown/parse/source-lines.ts";
import type { ReviewState, View } from "../state/review-store.ts";
import { getOpenEditor } from "./open-editor.ts";
import { blockBeingRead, coveredTop } from "./visible-blocks.ts";

/** Returns the line of the plan, from 1, that is at the top of the window; 1 while the page is at its top. */
export function lineBeingRead({ view, document: plan, changesAs }: ReviewState): number {
  if (typeof document === "undefined") return 1;
  const editor = getOpenEditor();
  if (view === "edit" && editor) return editor.lineAtTop();
  const field = document.querySelector<HTMLTextAreaElement>(".edit-text");
  if (view === "edit" && field) return lineInField(field);
  if (scrollY < 40) return 1;
  if (view === "source" || (view === "changes" && changesAs === "raw")) return lineInSource();
  const block = blockBeingRead();
  return (block !== undefined && plan.blocks[block]?.startLine) || 1;
}

/** Scrolls to a line of the plan in the current view. */
export function goToLine(view: View, line: number, plan: MarkdownDocument): void {
  if (line <= 1) {
    scrollTo(0, 0);
    return;
  }
  const editor = view === "edit" ? getOpenEditor() : undefined;
  const field = document.querySelector<HTMLTextAreaElement>(".edit-text");
  if (editor) editor.goToLine(line);
  else if (view === "edit" && field) goToLineInField(field, line);
  else scrollToTop(findElement(line, plan)?.getBoundingClientRect().top);
}

const GAP = 12;

function scrollToTop(top: number | undefined): void {
  if (top !== undefined) scrollTo(0, top + scrollY - coveredTop() - GAP);
}

/** Returns the element of a source line, or the last block that begins at or before it. */
function findElement(line: number, { blocks }: MarkdownDocument): HTMLElement | null | undefined {
  const source = document.querySelector<HTMLElement>(`.source-line[data-line="${line}"]`);
  if (source) return source;
  const drawn = [...document.querySelectorAll<HTMLElement>(".plan [data-block]")];
  return drawn.findLast(({ dataset }) => (blocks[Number(dataset["block"])]?.startLine ?? 0) <= line);
}

function lineInSource(): number {
  const lines = [...document.querySelectorAll<HTMLElement>(".source-line[data-line]")];
  const at = firstAtOrBelow(lines.length, (index) => lines[index]?.getBoundingClientRect().bottom ?? 0);
  return Number(lines[at]?.dataset["line"] ?? 1);
}

/** Returns the index of the first item whose bottom is below the header. */
function firstAtOrBelow(count: number, getBottom: (index: number) => number): number {
  const top = coveredTop() + 1;
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (getBottom(middle) > top) high = middle;
    else low = middle + 1;
  }
  return Math.min(low, count - 1);
}

function lineInField(field: HTMLTextAreaElement): number {
  const heights = fieldHeights(field);
  const { top } = field.getBoundingClientRect();
  if (top >= 0 && field.scrollTop < 40) return 1;
  return firstAtOrBelow(heights.count, (line) => top - field.scrollTop + heights.above(line + 1)) + 1;
}

function goToLineInField(field: HTMLTextAreaElement, line: number): void {
  const height = fieldHeights(field).above(line - 1);
  // A field that does not grow with its text has its own scroll position.
  if (field.scrollHeight > field.clientHeight + 1) field.scrollTop = height;
  else scrollToTop(field.getBoundingClientRect().top + height);
}

/** Returns a field's number of lines, and a function that measures the height in pixels of the text above a line. */
function fieldHeights(field: HTMLTextAreaElement) {
  const lines = sourceLines(field.value);
  const mirror = document.createElement("div");
  const { font, lineHeight, padding, letterSpacing, tabSize } = getComputedStyle(field);
  Object.assign(mirror.style, { font, lineHeight, padding, letterSpacing, tabSize });
  Object.assign(mirror.style, {
    position: "absolute",
    visibility: "hidden",
    width: `${field.clientWidth}px`,
    whiteSpace: "pre-wrap",
    overflowWrap: "break-word",
    paddingBottom: "0",
  });
  return {
    count: lines.count,
    above(line: number): number {
      mirror.textContent = field.value.slice(0, lines.start(line)).replace(/\r?\n$/, "");
      document.body.append(mirror);
      const height = line === 0 ? 0 : mirror.getBoundingClientRect().height;
      mirror.remove();
      return height;
    },
  };
}
