import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { LineRange } from "../state/cursor.ts";

/** Returns the lines whose code is selected, in the file and on the side of the first one; undefined if none are. */
export function getSelectedLines(): LineRange | undefined {
  const selection = getSelection();
  const scroller = document.getElementById("diff");
  if (!scroller || !selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(scroller) || range.toString().trim() === "") return undefined;
  const side = scroller.dataset["selecting"];
  const cells = [...scroller.querySelectorAll<HTMLElement>(".row .code[data-side]")].filter(
    (cell) => (side === undefined || cell.dataset["side"] === side) && isSelected(range, cell),
  );
  const lines = cells.map(toLineRange).filter((line) => line !== undefined);
  const first = lines[0];
  if (!first) return undefined;
  const same = lines.filter((line) => line.path === first.path && line.side === first.side);
  return { ...first, to: same.at(-1)?.to ?? first.to };
}

/** Returns whether a selection contains code of a line, or crosses an empty line. */
function isSelected(range: Range, cell: HTMLElement): boolean {
  if (!range.intersectsNode(cell)) return false;
  const part = document.createRange();
  part.selectNodeContents(cell);
  const isInside = cell.contains(range.startContainer) || cell.contains(range.endContainer);
  if (cell.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset);
  if (cell.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset);
  return part.toString() !== "" || (!isInside && cell.textContent === "");
}

/** Returns the line that contains an element as a range of one line; undefined if no numbered line contains it. */
export function toLineRange(element: Element): LineRange | undefined {
  const path = element.closest<HTMLElement>("[data-path]")?.dataset["path"];
  const cell = element.closest<HTMLElement>("[data-side]");
  const side = cell && getSide(cell);
  const number = cell?.closest(".row")?.querySelector<HTMLElement>(`.num[data-side="${side}"][data-line]`);
  const line = Number(number?.dataset["line"] ?? 0);
  return path !== undefined && side && line > 0 ? { path, side, from: line, to: line } : undefined;
}

function getSide({ dataset }: HTMLElement): Side | undefined {
  const side = dataset["side"];
  return side === "old" || side === "new" ? side : undefined;
}
