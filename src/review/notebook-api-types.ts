/** Types of notebooks (`.ipynb`) in a code review. `api-types.ts` exports them with all others. */

export type CellKind = "code" | "markdown" | "raw";

/** A line of a cell, as the notebook shows it. */
export interface NotebookLine {
  readonly text: string;
  /** The line of the file that holds it, from 1. A file may hold several lines of a cell in one line of JSON. */
  readonly line: number;
}

/** A value of the metadata. Members of objects are named with dots, such as `kernelspec.name`. */
export interface NotebookValue extends NotebookLine {
  readonly name: string;
}

export interface NotebookOutput {
  /** The type, such as `stdout`, `error` or `image/png`. */
  readonly label: string;
  /** The text, without ANSI codes; empty for an image without a text. */
  readonly lines: readonly NotebookLine[];
  /** Set for an image, which `GET /api/notebook/image` returns. */
  readonly image?: string;
}

export interface NotebookCell {
  /** From 1. */
  readonly number: number;
  readonly id?: string;
  readonly kind: CellKind;
  readonly executionCount: number | null;
  /** The first and the last line of the cell in the file. */
  readonly line: number;
  readonly endLine: number;
  readonly source: readonly NotebookLine[];
  readonly outputs: readonly NotebookOutput[];
  readonly metadata: readonly NotebookValue[];
}

/** GET /api/notebook?path=…&side=old|new: the cells of one side of a notebook. 400 if it cannot be read by cells. */
export interface NotebookFile {
  readonly path: string;
  readonly side: "old" | "new";
  /** The language that the notebook names, in lowercase; `python` if it names none. */
  readonly language: string;
  readonly cells: readonly NotebookCell[];
}

/** GET /api/notebook/image?path=…&side=…&cell=3&output=1: the image of an output itself; numbers from 1. */

/**
 * GET /api/diff/notebook?path=…: a changed notebook by cells. `&id=` and `w=1` have the same meaning as for
 * GET /api/diff/patch.
 */
export type NotebookDiff =
  | ComparedNotebook
  /** Why the notebook cannot be compared by cells. */
  | { readonly problem: string };

export interface ComparedNotebook {
  /** Cells in the order of the new notebook; removed cells are where they were. */
  readonly cells: readonly CellDiff[];
  /** Changes of the notebook's own metadata; without lines if there are none. */
  readonly metadata: CellPart;
}

export interface CellDiff {
  /** `details`: only execution count, id or metadata differ. */
  readonly change: "same" | "details" | "changed" | "added" | "removed";
  /** Whether the cell has another position among the cells that are in both notebooks. */
  readonly moved: boolean;
  readonly old?: CellRef;
  readonly new?: CellRef;
  /** The source comes first. Outputs and metadata that are equal are left out. */
  readonly parts: readonly CellPart[];
}

/** A cell of one side. */
export type CellRef = Pick<NotebookCell, "number" | "id" | "kind" | "executionCount">;

export interface CellPart {
  readonly part: "source" | "output" | "metadata";
  /**
   * For an output, its type, with an explanation if nothing that is shown differs; for a source, the kind of its cell;
   * for metadata, `cell` or `notebook`.
   */
  readonly label: string;
  /** The highlighter's name for the language. */
  readonly language: string;
  /** Lines in the order of a unified diff. */
  readonly lines: readonly NotebookDiffLine[];
  /** An image on one or both sides: the number of its output, from 1. */
  readonly images?: { readonly old?: number; readonly new?: number };
}

/** 0 unchanged, 1 added, 2 removed; then the text, and the lines in the files: 0 if that side does not have it. */
export type NotebookDiffLine = readonly [kind: 0 | 1 | 2, text: string, oldLine: number, newLine: number];

/** The lines of a comment, as the notebook counts them. */
export interface CellPosition {
  /** Number of the cell, from 1. */
  readonly cell: number;
  readonly id?: string;
  readonly kind: CellKind;
  readonly part: "source" | "output" | "metadata";
  /** Lines of that part, from 1, both inclusive; absent for metadata. */
  readonly lineStart?: number;
  readonly lineEnd?: number;
}
