/** Finds top-level keys and tables of a TOML file line by line. Multi-line strings and arrays are recognized. */

export interface TomlLine {
  readonly text: string;
  /** The key that this line assigns at the top level, before the first table. */
  readonly topLevelKey?: string;
  /** The table that this line opens, as written between the brackets. */
  readonly table?: string;
}

/** Returns the lines including their line endings. A line that is not recognized has neither key nor table. */
export function tomlLines(text: string): readonly TomlLine[] {
  let state: State = { open: undefined, depth: 0 };
  let inTable = false;
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line): TomlLine => {
    const continues = state.open !== undefined || state.depth > 0;
    const table = continues ? undefined : /^\s*\[{1,2}\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (table !== undefined) {
      inTable = true;
      return { text: line, table };
    }
    const key = continues || inTable ? undefined : /^\s*("[^"]*"|'[^']*'|[\w-]+)\s*=/.exec(line)?.[1];
    state = scan(line, state);
    return key === undefined ? { text: line } : { text: line, topLevelKey: key.replace(/^["']|["']$/g, "") };
  });
}

interface State {
  /** The delimiter of a string that continues on the next line. */
  readonly open: '"""' | "'''" | undefined;
  /** The nesting depth of brackets. */
  readonly depth: number;
}

const TOKEN = /"""|'''|"(?:\\.|[^"\\])*"|'[^']*'|[[\]{}]|#.*/g;

function scan(line: string, { open: before, depth: start }: State): State {
  let depth = start;
  let position = before === undefined ? 0 : afterString(line, before, 0);
  while (position !== undefined) {
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(line)?.[0];
    if (token === undefined) return { open: undefined, depth: Math.max(depth, 0) };
    position = TOKEN.lastIndex;
    if (token === '"""' || token === "'''") {
      const end = afterString(line, token, position);
      if (end === undefined) return { open: token, depth };
      position = end;
    } else if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
  }
  return { open: before, depth };
}

/** Returns the index after the end of a multi-line string in this line, or undefined if it does not end here. */
function afterString(line: string, delimiter: '"""' | "'''", from: number): number | undefined {
  for (let position = from; position < line.length; position += 1) {
    if (line.startsWith(delimiter, position)) return position + delimiter.length;
    if (delimiter === '"""' && line[position] === "\\") position += 1;
  }
  return undefined;
}
