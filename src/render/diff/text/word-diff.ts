import { diffArrays } from "diff/lib/diff/array.js";
import { lineText, type ParsedPatch, type Side } from "../patch/parsed-patch.ts";

/** Pairs of start and end columns, ascending, in UTF-16 units. */
export type Ranges = readonly number[];

export interface WordChanges {
  readonly old: Ranges;
  readonly new: Ranges;
}

const NOTHING: WordChanges = { old: [], new: [] };
/** Longer lines are not compared, because the cost of the comparison grows with the square of the length. */
const MAX_LINE_LENGTH = 2_000;
/** If more than this share of the longer line changed, marking words adds nothing to the line's color. */
const MAX_CHANGED = 0.75;
/**
 * The tokens of `diffWordsWithSpace` in the package diff: words of Latin letters, digits and `_`, whitespace,
 * and any other character by itself. The package's module is not imported, because most of its code is not needed.
 */
const TOKEN =
  /\r?\n|[\w\u{AD}\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{2C6}\u{2C8}-\u{2D7}\u{2DE}-\u{2FF}\u{1E00}-\u{1EFF}]+|[^\S\n\r]+|./gsu;

/**
 * Returns the words that differ between a removed line and the added line that it is paired with. Returns no words if a
 * line is blank or too long, or if too much of the line has changed.
 */
export function wordChanges(oldText: string, newText: string): WordChanges {
  if (oldText.length > MAX_LINE_LENGTH || newText.length > MAX_LINE_LENGTH) return NOTHING;
  if (oldText.trim() === "" || newText.trim() === "") return NOTHING;
  const removed: number[] = [];
  const added: number[] = [];
  let oldColumn = 0;
  let newColumn = 0;
  let kept = 0;
  for (const change of diffArrays(oldText.match(TOKEN) ?? [], newText.match(TOKEN) ?? [])) {
    const text = change.value.join("");
    const { length } = text;
    if (change.removed) {
      addRange(removed, oldColumn, oldColumn + length);
      oldColumn += length;
    } else if (change.added) {
      addRange(added, newColumn, newColumn + length);
      newColumn += length;
    } else {
      kept += text.trim().length;
      oldColumn += length;
      newColumn += length;
    }
  }
  const longer = Math.max(oldText.trim().length, newText.trim().length);
  return kept < longer * (1 - MAX_CHANGED) ? NOTHING : { old: removed, new: added };
}

/** Returns the words of a patch line that differ from the line that it is paired with. */
export function wordChangesOn(patch: ParsedPatch, line: number, side: Side): Ranges {
  const partner = patch.partner[line] ?? -1;
  if (partner < 0) return [];
  const [before, after] = side === "old" ? [line, partner] : [partner, line];
  return wordChanges(lineText(patch, before), lineText(patch, after))[side];
}

function addRange(ranges: number[], start: number, end: number): void {
  if (ranges.at(-1) === start) ranges[ranges.length - 1] = end;
  else ranges.push(start, end);
}
