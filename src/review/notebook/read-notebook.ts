import { AppError } from "../../errors.ts";
import type { DiffLease } from "../diff-session.ts";
import { sniffImage } from "../images/sniff-image.ts";
import type {
  CellPosition,
  ComparedNotebook,
  NotebookCell,
  NotebookDiff,
  NotebookLine,
} from "../notebook-api-types.ts";
import { type CompareOptions, compareNotebooks } from "./compare-notebooks.ts";
import { type NotebookResult, type ParsedNotebook, parseNotebook } from "./parse-notebook.ts";

type Side = "old" | "new";
type Diff = Pick<DiffLease, "snapshot" | "sides">;

/**
 * Maximum sides of notebooks that are kept for one diff. They are kept because the images of their outputs are read one
 * by one.
 */
const MAX_KEPT = 6;
/** Maximum lines of a comparison that is shown by cells. */
const MAX_LINES = 100_000;
/** Maximum characters of an SVG that is drawn, as in the page's previews. */
const MAX_SVG = 1_000_000;

const kept = new WeakMap<Diff["snapshot"], Map<string, Promise<NotebookResult>>>();

/** Reads one side of a notebook. Throws as `DiffSides.read` does. */
function readResult({ snapshot, sides }: Diff, path: string, side: Side): Promise<NotebookResult> {
  const known = kept.get(snapshot) ?? new Map<string, Promise<NotebookResult>>();
  kept.set(snapshot, known);
  const key = `${side}\0${path}`;
  const reading = known.get(key) ?? sides.read(path, side).then((text) => parseNotebook(text.toString()));
  known.delete(key);
  known.set(key, reading);
  reading.catch(() => known.delete(key));
  const [oldest] = known.keys();
  if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest);
  return reading;
}

/**
 * Reads one side of a notebook. Throws `validation` if it cannot be read by cells; otherwise throws as
 * `DiffSides.read` does.
 */
export async function readNotebook(diff: Diff, path: string, side: Side): Promise<ParsedNotebook> {
  const result = await readResult(diff, path, side);
  if ("notebook" in result) return result.notebook;
  throw new AppError("validation", `${path} cannot be read by cells: ${result.problem}`);
}

/** Compares both sides of a notebook, or returns why they cannot be compared by cells. */
export async function readNotebookDiff(
  diff: Diff,
  path: string,
  options: CompareOptions,
): Promise<NotebookDiff> {
  const [before, after] = await Promise.all([readIfAny(diff, path, "old"), readIfAny(diff, path, "new")]);
  for (const side of [before, after]) if (side && "problem" in side) return side;
  if (!before && !after) return { problem: "only its changed lines are known" };
  const compared = compareNotebooks(
    before && "notebook" in before ? before.notebook : undefined,
    after && "notebook" in after ? after.notebook : undefined,
    options,
  );
  return countLines(compared) > MAX_LINES ? { problem: `more than ${MAX_LINES} lines` } : compared;
}

/** Reads one side of a notebook; undefined if the side does not exist or only its changed lines are known. */
async function readIfAny(diff: Diff, path: string, side: Side): Promise<NotebookResult | undefined> {
  try {
    return await readResult(diff, path, side);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    if (error instanceof AppError && error.code === "too_large") return { problem: "too large" };
    throw error;
  }
}

function countLines({ cells, metadata }: ComparedNotebook): number {
  const parts = [metadata, ...cells.flatMap((cell) => cell.parts)];
  return parts.reduce((sum, { lines }) => sum + lines.length, 0);
}

/**
 * Returns the image of an output. Cells and outputs are counted from 1. Throws as `readNotebook` does, `not_found` if
 * the output has no image, and `validation` if the image cannot be shown.
 */
export async function readNotebookImage(
  diff: Diff,
  path: string,
  side: Side,
  position: { readonly cell: number; readonly output: number },
): Promise<{ readonly type: string; readonly bytes: Buffer }> {
  const { cells } = await readNotebook(diff, path, side);
  const output = cells[position.cell - 1]?.outputs[position.output - 1];
  if (!output?.image) throw new AppError("not_found", "This output has no image");
  if (output.image === "image/svg+xml") {
    // An entity can expand to any size.
    if (output.data.length > MAX_SVG || /<!ENTITY/i.test(output.data))
      throw new AppError("validation", "This SVG is not drawn: it is too large or declares entities");
    return { type: "image/svg+xml", bytes: Buffer.from(output.data) };
  }
  const bytes = Buffer.from(output.data, "base64");
  const type = bytes.toString("latin1", 0, 4) === "GIF8" ? "image/gif" : sniffImage(bytes);
  if (!type) throw new AppError("validation", "Unsupported image type");
  return { type, bytes };
}

/** Finds the cell of some lines of a notebook's file; undefined if there is none. Never rejects. */
export async function findLinesInNotebook(
  diff: Diff,
  path: string,
  side: Side,
  { lineStart, lineEnd }: { readonly lineStart: number; readonly lineEnd: number },
): Promise<CellPosition | undefined> {
  const result = await readResult(diff, path, side).catch(() => undefined);
  if (!result || !("notebook" in result)) return undefined;
  return findCellPosition(result.notebook.cells, lineStart, lineEnd);
}

/**
 * Returns the cell that contains a range of lines of a notebook's file, and the lines of the cell in that
 * range. Both ends are inclusive. A range over several cells belongs to the first. Returns undefined outside
 * of all cells, and for a single line that holds several cells.
 */
export function findCellPosition(
  cells: readonly NotebookCell[],
  lineStart: number,
  lineEnd: number,
): CellPosition | undefined {
  const [cell, second] = cells.filter(({ line, endLine }) => line <= lineEnd && endLine >= lineStart);
  if (!cell || (second && lineStart === lineEnd)) return undefined;
  const { number, id, kind, source, outputs, metadata } = cell;
  const named = { cell: number, ...(id === undefined ? {} : { id }), kind };
  const texts = [
    { part: "source" as const, lines: source },
    ...outputs.map(({ lines }) => ({ part: "output" as const, lines })),
    { part: "metadata" as const, lines: metadata },
  ];
  for (const { part, lines } of texts) {
    const range = findRange(lines, lineStart, lineEnd);
    if (range) return part === "metadata" ? { ...named, part } : { ...named, part, ...range };
  }
  return { ...named, part: "metadata" };
}

function findRange(lines: readonly NotebookLine[], lineStart: number, lineEnd: number) {
  const isIn = ({ line }: NotebookLine) => line >= lineStart && line <= lineEnd;
  const first = lines.findIndex(isIn);
  return first < 0 ? undefined : { lineStart: first + 1, lineEnd: lines.findLastIndex(isIn) + 1 };
}
