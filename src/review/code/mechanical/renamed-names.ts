const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
const DECLARATION =
  /\b(?:function\*?|const|let|var|class|interface|type|enum|namespace|def|fn|func|fun|val|struct|trait|union|module|package|define|typedef|record|object|protocol)\s+([\p{L}_$][\p{L}\p{N}_$]*)/gu;
const METHOD =
  /^\s*(?:(?:public|private|protected|internal|static|async|override|abstract|final|readonly|virtual)\s+)+(?:[\w<>[\].]+\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*[(=:;]/u;
/** Keywords of common languages: replacing one changes what the code does. */
const RESERVED = new Set(
  (
    "abstract and as assert async await bool boolean break case catch char class const continue def default del delete do " +
    "double elif else enum except export extends extern false False final finally float fn for foreach from func function " +
    "get global go goto if implements import in inline instanceof int interface internal is lambda let long loop match mod " +
    "module mut namespace new nil none None nonlocal not null number object of operator or out override package pass " +
    "private protected pub public raise readonly ref return self set short signed sizeof static str string struct super " +
    "switch then this throw throws trait true True try type typeof undefined union unless unsafe unsigned until use using " +
    "val var virtual void volatile when where while with yield"
  ).split(" "),
);

/**
 * Returns the names that differ between two token lists that are otherwise the same; undefined if anything else
 * differs, if no name differs, or if a name was not replaced by the same name everywhere.
 */
export function renamingsBetween(
  before: readonly string[],
  after: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (before.length !== after.length || before.length === 0) return undefined;
  const renamed = new Map<string, string>();
  for (const [index, from] of before.entries()) {
    const to = after[index] ?? "";
    if (from === to) continue;
    if (!NAME.test(from) || !NAME.test(to) || RESERVED.has(from) || RESERVED.has(to)) return undefined;
    if ((renamed.get(from) ?? to) !== to) return undefined;
    renamed.set(from, to);
  }
  // A renamed name must be replaced at all of its occurrences.
  for (const [index, token] of before.entries()) {
    const to = renamed.get(token);
    if (to !== undefined && after[index] !== to) return undefined;
  }
  return renamed.size > 0 ? renamed : undefined;
}

/** Returns the names that are declared in lines. */
export function declaredNames(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const method = METHOD.exec(line)?.[1];
    return [...[...line.matchAll(DECLARATION)].map(([, name = ""]) => name), ...(method ? [method] : [])];
  });
}

/** Collects the renamings of a diff and reports which of them are consistent. */
export class RenamedNames {
  private readonly targets = new Map<string, Set<string>>();
  private readonly sources = new Map<string, Set<string>>();
  private readonly declared = new Set<string>();

  /** Adds the renamings of one change, with its lines on both sides. */
  add(renamed: ReadonlyMap<string, string>, before: readonly string[], after: readonly string[]): void {
    const [removedNames, introduced] = [new Set(declaredNames(before)), new Set(declaredNames(after))];
    for (const [from, to] of renamed) {
      this.targets.set(from, (this.targets.get(from) ?? new Set()).add(to));
      this.sources.set(to, (this.sources.get(to) ?? new Set()).add(from));
      if (removedNames.has(from) && introduced.has(to)) this.declared.add(from);
    }
  }

  /**
   * Reports whether a name was renamed at its declaration, to the same new name everywhere, and whether no other name
   * was renamed to the new name.
   */
  isRename(from: string, to: string): boolean {
    return this.declared.has(from) && this.targets.get(from)?.size === 1 && this.sources.get(to)?.size === 1;
  }
}
