import type { DiffFile } from "./code-api-types.ts";

/** Types of the API for reading a diff: moved lines, mechanical changes, changes since a round. */

/** GET /api/diff/moves: lines that were removed at one position and added at another, by their new position. */
export interface DiffMoves {
  /** The diff that the line numbers refer to. */
  readonly diffId: string;
  readonly moves: readonly DiffMove[];
}

/** A block of moved lines. Both ranges have the same number of lines, in the same order. */
export interface DiffMove {
  readonly from: MovedRange;
  readonly to: MovedRange;
  /** Whether a line was edited as well, or only indented differently. */
  readonly changed: boolean;
}

/** Lines of the old side for `from`, of the new side for `to`; both ends inclusive. */
export interface MovedRange {
  /** Path of the file in the diff, as in `DiffFile`. */
  readonly path: string;
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** GET /api/diff/mechanical: the files whose changes need no close reading. */
export interface DiffMechanical {
  readonly diffId: string;
  readonly files: readonly MechanicalFile[];
}

/**
 * A file in which every change is of these kinds: only whitespace and line breaks (`formatting`), import statements,
 * lines that were moved without an edit, names that were renamed throughout the diff, a new name of the file itself, or
 * anything in a generated file.
 */
export type MechanicalKind = "formatting" | "imports" | "moved" | "names" | "file-renamed" | "generated";

export interface MechanicalFile {
  readonly path: string;
  readonly kinds: readonly MechanicalKind[];
  /** The renamed names, for the kind `names`. */
  readonly renamed?: readonly { readonly from: string; readonly to: string }[];
}

/**
 * GET /api/diff/interdiff?round=N: what has changed in the diff since feedback was sent on round N, by default the last
 * one. Changes that came with a new base, as in a rebase, are left out.
 */
export interface DiffInterdiff {
  readonly round: number;
  /** The current diff, which the new sides are from. */
  readonly diffId: string;
  readonly files: readonly DiffFile[];
  /** The patches of the files in their order, `patchSize` bytes of UTF-8 each. */
  readonly rawPatch: string;
}

/** What a symbol is. `method` includes constructors and properties with accessors, `module` namespaces. */
export type SymbolKind = "function" | "method" | "type" | "module" | "variable";

/** GET /api/diff/symbols: the functions and types that the diff changes, on its new side. */
export interface DiffSymbols {
  readonly diffId: string;
  /** Files without such changes, and of other languages, are left out. */
  readonly files: readonly { readonly path: string; readonly symbols: readonly ChangedSymbol[] }[];
}

/** A symbol that contains a changed line outside of its inner symbols. */
export interface ChangedSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The symbols around it, outermost first. */
  readonly container: readonly string[];
  /** Its first line, and its first changed line. */
  readonly line: number;
  readonly changedLine: number;
  /** Whether all of its lines were added. */
  readonly isNew: boolean;
}

/** GET /api/diff/references?name=…: where a name is in the changed files, on their new side; declarations first. */
export interface DiffReferences {
  readonly diffId: string;
  readonly name: string;
  readonly references: readonly DiffReference[];
  /** References that were left out. */
  readonly more: number;
}

export interface DiffReference {
  readonly path: string;
  readonly line: number;
  /** Characters of the line before the name. */
  readonly column: number;
  /** The line without its indentation. */
  readonly text: string;
  /** What is declared here; absent where the name is used. */
  readonly declares?: SymbolKind;
}
