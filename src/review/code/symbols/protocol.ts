import type { DiffReference } from "../../api-types.ts";
import type { DeclaredSymbol } from "./extract-symbols.ts";
import type { Grammar } from "./languages.ts";

/** Messages between the server and the thread that parses files. */

/** The thread's `workerData`. */
export interface SymbolsSettings {
  /** The parser as WebAssembly. */
  readonly parser: Uint8Array;
}

export type SymbolsRequest =
  | {
      readonly kind: "add";
      readonly id: number;
      /** Number of the diff. The thread keeps the names of the last two diffs. */
      readonly diff: number;
      readonly path: string;
      readonly grammar: Grammar;
      /** The grammar as WebAssembly, sent with the first file that needs it. */
      readonly wasm: Uint8Array | undefined;
      readonly text: string;
    }
  | { readonly kind: "find"; readonly id: number; readonly diff: number; readonly name: string };

export type SymbolsResponse =
  | { readonly id: number; readonly symbols: readonly DeclaredSymbol[] }
  | { readonly id: number; readonly references: readonly DiffReference[]; readonly more: number }
  | { readonly id: number; readonly error: string };
