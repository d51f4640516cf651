/** Patterns of the imports of a language. */
interface ImportStyle {
  /** A line that is an import. */
  readonly line: RegExp;
  /** A line that begins an import of several lines, and the one that ends it. */
  readonly start?: RegExp;
  readonly end?: RegExp;
  /** A line between the first and the last one. */
  readonly member?: RegExp;
}

const SCRIPT: ImportStyle = {
  line: /^\s*(?:import\b(?!\s*[({.])|import\s+\{[^}]*\}\s+from\b|export\s+(?:\*|\{[^}]*\}|type\s*\{[^}]*\}).*\bfrom\s*["']|(?:const|let|var)\s+[\w${},\s:]+=\s*require\(["'][^"']*["']\);?\s*$)/,
  start: /^\s*(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{\s*$/,
  end: /^\s*\}\s*from\s*["'][^"']*["'](?:\s*with\s*\{.*\})?;?\s*$/,
  member: /^\s*(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?,?\s*$/,
};
const PYTHON: ImportStyle = {
  line: /^\s*(?:import\s+[\w.]|from\s+[\w.]+\s+import\s+[^(]*$|from\s+[\w.]+\s+import\s*\([^)]*\)\s*$)/,
  start: /^\s*from\s+[\w.]+\s+import\s*\(\s*$/,
  end: /^\s*\)\s*$/,
  member: /^\s*\w+(?:\s+as\s+\w+)?,?\s*$/,
};
const GO: ImportStyle = {
  line: /^import\s+(?:[\w.]+\s+)?"[^"]*"\s*$/,
  start: /^import\s*\(\s*$/,
  end: /^\)\s*$/,
  member: /^\s+(?:[\w.]+\s+)?"[^"]*"\s*$/,
};
const RUST: ImportStyle = {
  line: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:use\s+[^{]*;|use\s+.*\};|extern\s+crate\s+\w+;)\s*$/,
  start: /^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+[^;]*\{\s*$/,
  end: /^\s*\};\s*$/,
  member: /^\s*[\w:{},*\s]+,?\s*$/,
};
const JAVA: ImportStyle = { line: /^\s*import\s+(?:static\s+)?[\w.*{}, ]+(?:\s+as\s+\w+)?;?\s*$/ };
const C: ImportStyle = { line: /^\s*#\s*(?:include|import)\s*[<"][^>"]*[>"]\s*$/ };
const CSHARP: ImportStyle = {
  line: /^\s*(?:global\s+)?using\s+(?:static\s+)?[\w.]+(?:\s*=\s*[\w.<>]+)?;\s*$/,
};
const PHP: ImportStyle = { line: /^use\s+(?:function\s+|const\s+)?[\w\\]+(?:\s+as\s+\w+)?;\s*$/ };
const RUBY: ImportStyle = { line: /^\s*require(?:_relative)?\s*\(?\s*["'][^"']*["']\s*\)?\s*$/ };
const STYLE: ImportStyle = { line: /^\s*@(?:import|use|forward)\s+[^;]*;\s*$/ };
const DART: ImportStyle = { line: /^(?:import|export|part(?:\s+of)?)\s+["'][^"']*["'][^;]*;\s*$/ };

const STYLES: Readonly<Record<string, ImportStyle>> = {
  js: SCRIPT,
  jsx: SCRIPT,
  mjs: SCRIPT,
  cjs: SCRIPT,
  ts: SCRIPT,
  tsx: SCRIPT,
  mts: SCRIPT,
  cts: SCRIPT,
  vue: SCRIPT,
  svelte: SCRIPT,
  py: PYTHON,
  pyi: PYTHON,
  go: GO,
  rs: RUST,
  java: JAVA,
  kt: JAVA,
  kts: JAVA,
  scala: JAVA,
  swift: JAVA,
  groovy: JAVA,
  c: C,
  h: C,
  cc: C,
  cpp: C,
  hpp: C,
  m: C,
  mm: C,
  cs: CSHARP,
  php: PHP,
  rb: RUBY,
  css: STYLE,
  scss: STYLE,
  less: STYLE,
  dart: DART,
};

/**
 * Returns a flag for each line: whether it is an import or a part of one. `lines` are consecutive lines of one side of
 * a file; an import that begins before them is recognized by its last line, unless this is only a bracket.
 */
export function importLines(path: string, lines: readonly string[]): readonly boolean[] {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const style = Object.hasOwn(STYLES, extension) ? STYLES[extension] : undefined;
  const flags = lines.map((line) => style?.line.test(line) ?? false);
  if (!style?.start || !style.end || !style.member) return flags;
  // An import may have begun before the first line.
  let first: number | undefined = 0;
  for (const [index, line] of lines.entries()) {
    if (style.start.test(line)) first = index;
    else if (first !== undefined && style.end.test(line)) {
      // A closing bracket also ends other statements, so the start of its import is required.
      const isKnown = style.start.test(lines[first] ?? "") || !/^\s*[)}];?\s*$/.test(line);
      if (isKnown) flags.fill(true, first, index + 1);
      first = undefined;
    } else if (!style.member.test(line)) first = undefined;
  }
  // An import may continue after the last line.
  if (first !== undefined && style.start.test(lines[first] ?? "")) flags.fill(true, first);
  return flags;
}
