/** A value of a JSON text: the lines it begins and ends in, from 1, and its parts down to `MAX_DEPTH`. */
export interface JsonLines {
  readonly line: number;
  readonly endLine: number;
  readonly members?: ReadonlyMap<string, JsonLines>;
  readonly items?: readonly JsonLines[];
}

/** Maximum depth of a located value; the root has depth 0, and a line of an output has depth 6 or 7. */
const MAX_DEPTH = 7;

/**
 * Finds the lines of the values in a JSON text. The text must be valid: `JSON.parse` has accepted it. Does not recurse
 * below `MAX_DEPTH`.
 */
export function locateValues(text: string): JsonLines {
  return new Scanner(text).value(0);
}

class Scanner {
  private readonly text: string;
  private at = 0;
  private line = 1;

  constructor(text: string) {
    this.text = text;
  }

  value(depth: number): JsonLines {
    this.skipSpace();
    const { line } = this;
    const opener = this.text[this.at];
    if (depth >= MAX_DEPTH || (opener !== "{" && opener !== "[")) {
      this.skipValue();
      return { line, endLine: this.line };
    }
    this.at += 1;
    const parts = opener === "{" ? { members: this.members(depth) } : { items: this.items(depth) };
    this.at += 1;
    return { line, endLine: this.line, ...parts };
  }

  /**
   * Reads the members of an object. Of members with the same name, the last one counts, as in `JSON.parse`.
   */
  private members(depth: number): Map<string, JsonLines> {
    const found = new Map<string, JsonLines>();
    while (this.hasNext("}")) {
      const start = this.at;
      this.skipString();
      const name: string = JSON.parse(this.text.slice(start, this.at));
      this.skipSpace();
      this.at += 1;
      found.set(name, this.value(depth + 1));
    }
    return found;
  }

  private items(depth: number): JsonLines[] {
    const found: JsonLines[] = [];
    while (this.hasNext("]")) found.push(this.value(depth + 1));
    return found;
  }

  /** Moves to the next part. Returns false at the end of the object or array. */
  private hasNext(closer: string): boolean {
    this.skipSpace();
    if (this.text[this.at] === ",") {
      this.at += 1;
      this.skipSpace();
    }
    return this.at < this.text.length && this.text[this.at] !== closer;
  }

  private skipSpace(): void {
    for (; this.at < this.text.length; this.at += 1) {
      const unit = this.text.charCodeAt(this.at);
      if (unit === 10) this.line += 1;
      else if (unit !== 32 && unit !== 13 && unit !== 9) return;
    }
  }

  private skipString(): void {
    let end = this.text.indexOf('"', this.at + 1);
    while (end >= 0 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    this.at = end < 0 ? this.text.length : end + 1;
  }

  private isEscaped(at: number): boolean {
    let slashes = 0;
    while (this.text[at - 1 - slashes] === "\\") slashes += 1;
    return slashes % 2 === 1;
  }

  /** Skips a value with all its parts, without recursion. */
  private skipValue(): void {
    let open = 0;
    while (this.at < this.text.length) {
      const character = this.text[this.at];
      if (character === '"') this.skipString();
      else if (character === "{" || character === "[") {
        open += 1;
        this.at += 1;
      } else if (character === "}" || character === "]") {
        // A number or a word ends where the object or array around it ends.
        if (open === 0) return;
        open -= 1;
        this.at += 1;
      } else if (open === 0 && character === ",") return;
      else if (open === 0 && isSpace(character)) return;
      else {
        if (character === "\n") this.line += 1;
        this.at += 1;
        continue;
      }
      if (open === 0) return;
    }
  }
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}
