/** The grammars that `dist/workers` contains, with their names in the package `@vscode/tree-sitter-wasm`. */
export const GRAMMARS = [
  "bash",
  "c-sharp",
  "cpp",
  "go",
  "java",
  "javascript",
  "php",
  "python",
  "ruby",
  "rust",
  "tsx",
  "typescript",
] as const;

export type Grammar = (typeof GRAMMARS)[number];

const EXTENSIONS: Readonly<Record<Grammar, string>> = {
  bash: "sh bash",
  "c-sharp": "cs",
  // The grammar of C++ also parses the functions and types of C.
  cpp: "c cc cpp cxx h hh hpp hxx",
  go: "go",
  java: "java",
  javascript: "js jsx mjs cjs",
  php: "php",
  python: "py pyi",
  ruby: "rb rake",
  rust: "rs",
  tsx: "tsx",
  typescript: "ts mts cts",
};

const byExtension = new Map(
  GRAMMARS.flatMap((grammar) =>
    EXTENSIONS[grammar].split(" ").map((extension) => [extension, grammar] as const),
  ),
);

/** Returns the grammar of a file by its name; undefined for other languages. */
export function grammarOf(path: string): Grammar | undefined {
  return byExtension.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
}
