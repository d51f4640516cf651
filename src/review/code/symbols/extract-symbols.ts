import type { TreeCursor } from "@vscode/tree-sitter-wasm";
import type { SymbolKind } from "../../api-types.ts";

/** A symbol that a file declares, such as a function or a type. Line numbers start at 1. */
export interface DeclaredSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The names of the symbols around it, outermost first. */
  readonly container: readonly string[];
  readonly line: number;
  readonly lineEnd: number;
}

/** A name in the code, outside of comments and strings. */
export interface NameOccurrence {
  readonly name: string;
  readonly line: number;
  /** Number of characters before it in its line. */
  readonly column: number;
  /** The kind of symbol that it declares; undefined where it is used. */
  readonly declares: SymbolKind | undefined;
}

export interface FileSymbols {
  readonly symbols: readonly DeclaredSymbol[];
  readonly occurrences: readonly NameOccurrence[];
}

/** Kinds of symbols by the type of the node that declares them, in all grammars. */
const DECLARATIONS: ReadonlyMap<string, SymbolKind> = new Map([
  ...kinds(
    "function",
    "function_declaration generator_function_declaration function_definition function_item function_signature_item " +
      "macro_definition preproc_function_def local_function_statement delegate_declaration",
  ),
  ...kinds(
    "method",
    "method_definition method_declaration method_signature abstract_method_signature method_elem constructor_declaration " +
      "method singleton_method property_declaration",
  ),
  ...kinds(
    "type",
    "class class_declaration abstract_class_declaration class_definition class_specifier interface_declaration " +
      "type_alias_declaration enum_declaration enum_item enum_specifier struct_item struct_specifier struct_declaration " +
      "union_item union_specifier trait_item trait_declaration record_declaration annotation_type_declaration type_spec " +
      "type_alias type_item type_definition alias_declaration",
  ),
  ...kinds("module", "module internal_module mod_item namespace_definition namespace_declaration impl_item"),
  ...kinds("variable", "variable_declarator const_spec var_spec const_item static_item"),
]);

function kinds(kind: SymbolKind, types: string): (readonly [string, SymbolKind])[] {
  return types.split(" ").map((type) => [type, kind] as const);
}

const FUNCTION_VALUES = new Set(["arrow_function", "function_expression", "generator_function"]);
const NAMES = /(?:^|_)identifier$|^(?:constant|name|word|command_name)$/;
/** Node types that declare a symbol only if the node has a body; a node without a body refers to the type. */
const NEEDS_BODY = new Set(["class_specifier", "struct_specifier", "enum_specifier", "union_specifier"]);
/** Maximum depth of the syntax nodes that are visited. */
const MAX_DEPTH = 400;

interface OpenSymbol {
  readonly depth: number;
  readonly name: string;
}

/** Returns the symbols and names of a parsed file, in the order of the file. The cursor must be at the root. */
export function extractSymbols(cursor: TreeCursor): FileSymbols {
  const symbols: DeclaredSymbol[] = [];
  const occurrences: NameOccurrence[] = [];
  /** Kinds of declared symbols, by the index at which the declared name starts. */
  const declaring = new Map<number, SymbolKind>();
  const open: OpenSymbol[] = [];
  for (let depth = 0; ; ) {
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    const type = cursor.nodeType;
    const declared = cursor.nodeIsNamed ? declarationAt(cursor) : undefined;
    if (declared) {
      const { name, nameAt, kind } = declared;
      declaring.set(nameAt, kind);
      const isLocal = kind === "variable" && open.some(({ name: around }) => around !== "");
      if (!isLocal) {
        const container = open.map((each) => each.name).filter(Boolean);
        const [line, lineEnd] = [cursor.startPosition.row + 1, cursor.endPosition.row + 1];
        symbols.push({ name, kind, container, line, lineEnd });
      }
      if (kind !== "variable") open.push({ depth, name });
    } else if (cursor.nodeIsNamed && NAMES.test(type) && !cursor.gotoFirstChild()) {
      const { row, column } = cursor.startPosition;
      occurrences.push({
        name: cursor.nodeText,
        line: row + 1,
        column,
        declares: declaring.get(cursor.startIndex),
      });
    } else if (cursor.nodeIsNamed && NAMES.test(type)) cursor.gotoParent();
    if (depth < MAX_DEPTH && cursor.gotoFirstChild()) {
      depth += 1;
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return { symbols, occurrences };
      depth -= 1;
    }
  }
}

interface Declaration {
  readonly name: string;
  readonly nameAt: number;
  readonly kind: SymbolKind;
}

function declarationAt(cursor: TreeCursor): Declaration | undefined {
  const kind = DECLARATIONS.get(cursor.nodeType);
  if (!kind) return undefined;
  const node = cursor.currentNode;
  if (NEEDS_BODY.has(node.type) && !node.childForFieldName("body")) return undefined;
  let name = node.childForFieldName("name") ?? node.childForFieldName("declarator");
  if (node.type === "impl_item") name = node.childForFieldName("type");
  // In C, the name is within declarators of pointers, arrays and parameters; in C++, it may be qualified.
  for (
    let inner = name;
    inner;
    inner = inner.childForFieldName("declarator") ?? inner.childForFieldName("name")
  ) {
    name = inner;
  }
  if (!name || name.text === "") return undefined;
  const value = node.type === "variable_declarator" ? node.childForFieldName("value") : undefined;
  const isFunction = value !== undefined && value !== null && FUNCTION_VALUES.has(value.type);
  return { name: name.text, nameAt: name.startIndex, kind: isFunction ? "function" : kind };
}
