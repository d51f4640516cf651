import { diffArrays } from "diff/lib/diff/array.js";
import type {
  CellDiff,
  CellPart,
  CellRef,
  ComparedNotebook,
  NotebookDiffLine,
  NotebookLine,
} from "../notebook-api-types.ts";
import { matchCells } from "./match-cells.ts";
import type { ParsedCell, ParsedNotebook, ParsedOutput } from "./parse-notebook.ts";

/**
 * Maximum number of edits between two texts; beyond it, all lines between the first and the last difference count as
 * changed.
 */
const MAX_EDITS = 2_000;
/**
 * Maximum milliseconds for the comparison of two texts, and for all comparisons of a notebook; after that, all lines
 * between the first and the last difference count as changed.
 */
const TEXT_LIMIT = 300;
const TOTAL_LIMIT = 2_000;

export interface CompareOptions {
  /** Whether lines that differ only in whitespace count as equal. */
  readonly ignoreSpace?: boolean | undefined;
}

interface Comparison extends CompareOptions {
  /** Time of `performance.now()` at which the search for edits stops. */
  readonly deadline: number;
}

const NOTHING: ParsedNotebook = { language: "", cells: [], metadata: [] };

/** Compares two versions of a notebook by cells. An added or deleted notebook has only one version. */
export function compareNotebooks(
  before: ParsedNotebook = NOTHING,
  after: ParsedNotebook = NOTHING,
  { ignoreSpace }: CompareOptions = {},
): ComparedNotebook {
  const options: Comparison = { ignoreSpace, deadline: performance.now() + TOTAL_LIMIT };
  const pairs = new Map(matchCells(before.cells, after.cells).map((pair) => [pair.new, pair]));
  const removedAfter = groupRemoved(before.cells, [...pairs.values()]);
  const removedAt = (old: number) =>
    (removedAfter.get(old) ?? []).map((cell) => compareCells(cell, undefined, false, options));
  const cells = removedAt(-1);
  for (const [index, cell] of after.cells.entries()) {
    const pair = pairs.get(index);
    cells.push(compareCells(pair && before.cells[pair.old], cell, pair?.moved ?? false, options));
    if (pair && !pair.moved) cells.push(...removedAt(pair.old));
  }
  return {
    cells,
    metadata: comparePart("metadata", "notebook", "text", before.metadata, after.metadata, options),
  };
}

/** Returns the removed cells by the index of the last cell before them that is in both notebooks and has not moved. */
function groupRemoved(
  before: readonly ParsedCell[],
  pairs: readonly { readonly old: number; readonly moved: boolean }[],
): Map<number, ParsedCell[]> {
  const matched = new Map(pairs.map(({ old, moved }) => [old, moved]));
  const found = new Map<number, ParsedCell[]>();
  let last = -1;
  for (const [index, cell] of before.entries()) {
    const moved = matched.get(index);
    if (moved === undefined) found.set(last, [...(found.get(last) ?? []), cell]);
    else if (!moved) last = index;
  }
  return found;
}

function compareCells(
  before: ParsedCell | undefined,
  after: ParsedCell | undefined,
  moved: boolean,
  options: Comparison,
): CellDiff {
  const cell = after ?? before;
  const source = comparePart(
    "source",
    cell?.kind ?? "",
    cell?.language ?? "text",
    before?.source,
    after?.source,
    options,
  );
  const outputs = compareOutputs(before?.outputs ?? [], after?.outputs ?? [], options);
  const metadata = comparePart("metadata", "cell", "text", before?.metadata, after?.metadata, options);
  const hasDetails =
    metadata.lines.length > 0 ||
    before?.executionCount !== after?.executionCount ||
    before?.id !== after?.id ||
    before?.kind !== after?.kind;
  const isChanged = outputs.length > 0 || source.lines.some(([kind]) => kind !== 0);
  return {
    change:
      before && after
        ? isChanged || before.kind !== after.kind
          ? "changed"
          : hasDetails
            ? "details"
            : "same"
        : after
          ? "added"
          : "removed",
    moved,
    ...(before && { old: toRef(before) }),
    ...(after && { new: toRef(after) }),
    parts: [source, ...outputs, ...(metadata.lines.length > 0 ? [metadata] : [])],
  };
}

function toRef({ number, id, kind, executionCount }: ParsedCell): CellRef {
  return { number, ...(id === undefined ? {} : { id }), kind, executionCount };
}

/** Pairs outputs of the same type in their order. Returns the pairs that differ, and the outputs without a pair. */
function compareOutputs(
  before: readonly ParsedOutput[],
  after: readonly ParsedOutput[],
  options: Comparison,
): CellPart[] {
  const labels = (outputs: readonly ParsedOutput[]) => outputs.map(({ label }) => label);
  const parts: CellPart[] = [];
  let [old, now] = [0, 0];
  const changes = findChanges(labels(before), labels(after), options.deadline);
  for (const { added, removed, count } of changes) {
    for (let step = 0; step < count; step += 1) {
      const part = compareOutput(added ? undefined : before[old], removed ? undefined : after[now], options, {
        old: old + 1,
        new: now + 1,
      });
      if (part) parts.push(part);
      if (!added) old += 1;
      if (!removed) now += 1;
    }
  }
  return parts;
}

function compareOutput(
  before: ParsedOutput | undefined,
  after: ParsedOutput | undefined,
  options: Comparison,
  numbers: { readonly old: number; readonly new: number },
): CellPart | undefined {
  const shown = after ?? before;
  const text = comparePart("output", shown?.label ?? "", "text", before?.lines, after?.lines, options);
  const isTextChanged = text.lines.some(([kind]) => kind !== 0);
  const isImageChanged = before?.data !== after?.data;
  if (before && after && !isTextChanged && !isImageChanged) {
    if (before.rest === after.rest) return undefined;
    return { ...text, label: `${text.label}: another form of this output differs`, lines: [] };
  }
  if (!shown?.image) return text;
  return {
    ...text,
    // A text such as `<Figure size 640x480>` adds nothing to the image.
    lines: before && after && isTextChanged ? text.lines : [],
    images: { ...(before?.image && { old: numbers.old }), ...(after?.image && { new: numbers.new }) },
  };
}

/** Compares two texts line by line. Leaves out equal values of metadata, because their order does not matter. */
function comparePart(
  part: CellPart["part"],
  label: string,
  language: string,
  before: readonly NotebookLine[] = [],
  after: readonly NotebookLine[] = [],
  { ignoreSpace = false, deadline }: Comparison,
): CellPart {
  if (part === "metadata") {
    const [old, now] = [new Set(before.map(textOf)), new Set(after.map(textOf))];
    const lines = compareLines(
      before.filter(({ text }) => !now.has(text)),
      after.filter(({ text }) => !old.has(text)),
      textOf,
      deadline,
    );
    return { part, label, language, lines };
  }
  const key = ignoreSpace ? ({ text }: NotebookLine) => text.replace(/\s+/g, "") : textOf;
  return { part, label, language, lines: compareLines(before, after, key, deadline) };
}

function textOf({ text }: NotebookLine): string {
  return text;
}

function compareLines(
  before: readonly NotebookLine[],
  after: readonly NotebookLine[],
  key: (line: NotebookLine) => string,
  deadline: number,
): NotebookDiffLine[] {
  const [left, right] = [before.map(key), after.map(key)];
  const shared = Math.min(left.length, right.length);
  let head = 0;
  while (head < shared && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < shared - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const lines: NotebookDiffLine[] = [];
  let [old, now] = [0, 0];
  const removed = () => lines.push([2, before[old]?.text ?? "", before[old++]?.line ?? 0, 0]);
  const added = () => lines.push([1, after[now]?.text ?? "", 0, after[now++]?.line ?? 0]);
  const same = () =>
    lines.push([0, after[now]?.text ?? "", before[old++]?.line ?? 0, after[now++]?.line ?? 0]);
  const repeat = (count: number, step: () => void) => {
    for (let left = count; left > 0; left -= 1) step();
  };
  repeat(head, same);
  const changes = findChanges(
    left.slice(head, left.length - tail),
    right.slice(head, right.length - tail),
    deadline,
  );
  for (const change of changes) repeat(change.count, change.removed ? removed : change.added ? added : same);
  repeat(tail, same);
  return lines;
}

interface Change {
  readonly count: number;
  readonly added: boolean;
  readonly removed: boolean;
}

/**
 * Compares two lists. If they differ too much, or after the deadline, all items of the first list count as removed and
 * all items of the second as added.
 */
function findChanges(
  before: readonly string[],
  after: readonly string[],
  deadline: number,
): readonly Change[] {
  const all = [
    { count: before.length, added: false, removed: true },
    { count: after.length, added: true, removed: false },
  ];
  const timeout = Math.min(TEXT_LIMIT, deadline - performance.now());
  if (before.length === 0 || after.length === 0 || timeout <= 0) return all;
  return diffArrays([...before], [...after], { maxEditLength: MAX_EDITS, timeout }) ?? all;
}
