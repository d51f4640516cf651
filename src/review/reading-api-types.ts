import type { DiffFile } from "./code-api-types.ts";

/** Types of the API for reading a diff: moved lines, mechanical changes, sizes, changes since a round, and symbols. */

/**
 * GET /api/diff/moves: lines that were removed at one position and added at another, in the order of the new positions.
 * Leaves out generated files.
 */
export interface DiffMoves {
  /** The diff that the line numbers refer to. */
  readonly diffId: string;
  readonly moves: readonly DiffMove[];
}

/** A block of moved lines. Both ranges have the same number of lines, in the same order. */
export interface DiffMove {
  readonly from: MovedRange;
  readonly to: MovedRange;
  /** Whether a line was also edited or indented differently. */
  readonly changed: boolean;
}

/** Lines of the old side for `from`, of the new side for `to`; both ends inclusive. */
export interface MovedRange {
  /** Path of the file in the diff, as in `DiffFile`. */
  readonly path: string;
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** GET /api/diff/mechanical: the files that have only mechanical changes. */
export interface DiffMechanical {
  readonly diffId: string;
  readonly files: readonly MechanicalFile[];
}

/**
 * A mechanical change: only whitespace and line breaks (`formatting`), import statements, lines that were moved without
 * an edit, names that were renamed throughout the diff, a new name of the file itself, or anything in a generated file.
 */
export type MechanicalKind = "formatting" | "imports" | "moved" | "names" | "file-renamed" | "generated";

export interface MechanicalFile {
  readonly path: string;
  readonly kinds: readonly MechanicalKind[];
  /** The renamed names, for the kind `names`. */
  readonly renamed?: readonly { readonly from: string; readonly to: string }[];
}

/** GET /api/diff/sizes: the sizes of the binary files of the diff, if its source knows them. */
export interface DiffSizes {
  readonly diffId: string;
  readonly files: readonly FileSizes[];
}

/** Sizes of a file in bytes. A side is absent if it does not exist or its size is unknown. */
export interface FileSizes {
  /** `DiffFile.index` */
  readonly index: number;
  readonly old?: number | undefined;
  readonly new?: number | undefined;
}

/**
 * GET /api/diff/interdiff?round=N: the changes of the diff since feedback was sent in round N, by default the last one.
 * Leaves out changes of the base, for example by a rebase, in files whose earlier change applies to the new base.
 */
export interface DiffInterdiff {
  readonly round: number;
  /** The current diff, to which the new sides belong. */
  readonly diffId: string;
  readonly files: readonly DiffFile[];
  /** The patches of the files in their order, `patchSize` bytes of UTF-8 each. */
  readonly rawPatch: string;
}

/**
 * Kinds of symbols. `method` includes constructors and properties with accessors; `module` includes namespaces and the
 * `impl` blocks of Rust.
 */
export type SymbolKind = "function" | "method" | "type" | "module" | "variable";

/** GET /api/diff/symbols: the symbols that the diff changes on its new side, except variables. */
export interface DiffSymbols {
  readonly diffId: string;
  /** The files with such changes, in languages with a grammar. Leaves out generated and large files. */
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

/**
 * GET /api/diff/references?name=…: references to a name on the new side of changed files, declarations first.
 */
export interface DiffReferences {
  readonly diffId: string;
  readonly name: string;
  readonly references: readonly DiffReference[];
  /** Number of references that were left out. */
  readonly more: number;
}

export interface DiffReference {
  readonly path: string;
  readonly line: number;
  /** Number of characters before the name in its line. */
  readonly column: number;
  /** The line without whitespace at its ends, at most 300 characters. */
  readonly text: string;
  /** The kind of symbol that is declared here; absent if the name is only used. */
  readonly declares?: SymbolKind;
}
