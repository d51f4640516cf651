import type { TreeRow } from "../../../src/render/diff/patch/file-tree.ts";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { ChangedSymbol, SymbolKind } from "../../../src/review/api-types.ts";

/** A row of the tree: a folder, a file, or a symbol of the file above it. */
export interface TreeItem {
  readonly key: string;
  readonly row: TreeRow;
  readonly symbol?: ChangedSymbol;
}

/** Adds the symbols of each file below its row. */
export function withSymbols(
  rows: readonly TreeRow[],
  symbols: ReadonlyMap<string, readonly ChangedSymbol[]>,
): readonly TreeItem[] {
  return rows.flatMap((row): TreeItem[] => [
    { key: row.key, row },
    ...(symbols.get(row.file?.path ?? "") ?? []).map((symbol, index) => ({
      key: `${row.key} symbol ${index}`,
      row,
      symbol,
    })),
  ]);
}

const SIGNS: Readonly<Record<SymbolKind, string>> = {
  function: "ƒ",
  method: "ƒ",
  type: "T",
  module: "M",
  variable: "v",
};

interface SymbolLineProps {
  readonly row: TreeRow;
  readonly symbol: ChangedSymbol;
  readonly onChoose: (path: string, line: number) => void;
}

/** Renders a changed symbol, for example a function or type, below its file. */
export function SymbolLine({ row: { depth, file }, symbol, onChoose }: SymbolLineProps) {
  const { name, kind, container, changedLine, isNew } = symbol;
  const full = withDeceptionsShown([...container, name].join("."));
  return (
    <button
      type="button"
      className="tree-line tree-symbol"
      style={{ paddingLeft: 30 + depth * 12 }}
      title={`${kind} ${full}${isNew ? ", new" : ""}`}
      aria-label={`${kind} ${full}, ${isNew ? "new" : "changed"}`}
      onClick={() => file && onChoose(file.path, changedLine)}
    >
      <span className="tree-kind" aria-hidden>
        {SIGNS[kind]}
      </span>
      <span className="tree-name">{full}</span>
      {isNew && <span className="badge">new</span>}
    </button>
  );
}
