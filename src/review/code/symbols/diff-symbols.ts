import { LINE_ADDED, LINE_REMOVED, type ParsedPatch } from "../../../render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../render/diff/patch/scan-patch.ts";
import type { ChangedSymbol, DiffReference } from "../../api-types.ts";
import type { DiffLease } from "../../diff-session.ts";
import { readPatch } from "../../git/file-text.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";
import type { DeclaredSymbol } from "./extract-symbols.ts";
import { grammarOf } from "./languages.ts";
import { type SymbolFiles, type SymbolParser, startSymbolParser } from "./symbols-client.ts";

/** Maximum bytes of a file that is parsed, and bytes of parsed files after which no more files are parsed. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;

/** The symbols of the diffs of a review. The first call starts the thread that parses files. */
export interface SymbolIndex {
  /** Returns the changed symbols by path. Parses the files of a diff once. */
  changedIn(diff: DiffLease): Promise<ReadonlyMap<string, readonly ChangedSymbol[]>>;
  /** Returns the references to a name in the changed files, declarations first. */
  find(diff: DiffLease, name: string): Promise<{ references: readonly DiffReference[]; more: number }>;
  close(): Promise<void>;
}

interface Parsed {
  readonly number: number;
  readonly changed: Promise<ReadonlyMap<string, readonly ChangedSymbol[]>>;
}

/** Creates the index of a review. Calls `files` each time it starts the thread. */
export function createSymbolIndex(files: () => Promise<SymbolFiles>): SymbolIndex {
  let parsed = new WeakMap<Snapshot, Parsed>();
  let starting: Promise<SymbolParser> | undefined;
  let count = 0;
  /** Fingerprints of the files whose parsing failed or ended the thread. */
  const skipped = new Set<string>();
  // If the thread fails to start or ends, the next call starts it again.
  const forget = () => {
    parsed = new WeakMap();
    starting = undefined;
  };
  const start = () => {
    starting ??= files().then((read) => startSymbolParser(read, forget));
    starting.catch(forget);
    return starting;
  };
  const parse = (diff: DiffLease): Parsed => {
    const known = parsed.get(diff.snapshot);
    if (known) return known;
    const number = count++;
    const entry = { number, changed: start().then((parser) => parseAll(diff, { number, parser, skipped })) };
    parsed.set(diff.snapshot, entry);
    entry.changed.catch(() => parsed.delete(diff.snapshot));
    return entry;
  };
  return {
    changedIn: (diff) => parse(diff).changed,
    async find(diff, name) {
      const { number, changed } = parse(diff);
      await changed;
      return (await start()).find(number, name);
    },
    async close() {
      await (await starting?.catch(() => undefined))?.close();
    },
  };
}

async function parseAll(
  { snapshot, sides }: DiffLease,
  { number, parser, skipped }: { number: number; parser: SymbolParser; skipped: Set<string> },
): Promise<ReadonlyMap<string, readonly ChangedSymbol[]>> {
  const changed = new Map<string, readonly ChangedSymbol[]>();
  let left = MAX_BYTES;
  for (const file of snapshot.files) {
    if (!isParsed(file) || skipped.has(file.fingerprint) || left <= 0) continue;
    // A file that is too large, or of which only the hunks are known, has no symbols.
    const text = await sides.read(file.path, "new").catch(() => undefined);
    if (!text || text.length > MAX_FILE_BYTES) continue;
    left -= text.length;
    // If parsing fails or ends the thread, this call fails, and the next one leaves the file out.
    skipped.add(file.fingerprint);
    const symbols = (await parser.add(number, file.path, text.toString())) ?? [];
    skipped.delete(file.fingerprint);
    const found = changedSymbols(symbols, scanPatch((await readPatch(snapshot, file)).toString()));
    if (found.length > 0) changed.set(file.path, found);
  }
  return changed;
}

function isParsed(file: SnapshotFile): boolean {
  const { path, status, binary, generated, additions, deletions, patchSize } = file;
  if (binary || generated || status === "deleted" || additions + deletions === 0) return false;
  return grammarOf(path) !== undefined && patchSize <= 4 * MAX_FILE_BYTES;
}

/** Returns the symbols that contain a changed line outside of their inner symbols. Leaves out variables. */
export function changedSymbols(
  symbols: readonly DeclaredSymbol[],
  patch: ParsedPatch,
): readonly ChangedSymbol[] {
  const listed = symbols.filter(({ kind }) => kind !== "variable");
  const added = new Set<number>();
  const first = new Map<DeclaredSymbol, number>();
  for (const line of changedLines(patch)) {
    if (line.isAdded) added.add(line.number);
    // The last symbol that begins at or before a line and contains it is the innermost one.
    const innermost = listed.findLast(
      (symbol) => symbol.line <= line.number && symbol.lineEnd >= line.number,
    );
    if (innermost && !first.has(innermost)) first.set(innermost, line.number);
  }
  return listed.flatMap((symbol) => {
    const changedLine = first.get(symbol);
    if (changedLine === undefined) return [];
    const { name, kind, container, line, lineEnd } = symbol;
    let isNew = true;
    for (let each = line; each <= lineEnd && isNew; each++) isNew = added.has(each);
    return [{ name, kind, container, line, changedLine, isNew }];
  });
}

/** Returns the changed lines of the new side; for removed lines, the line that follows them. */
function changedLines(patch: ParsedPatch): { readonly number: number; readonly isAdded: boolean }[] {
  const lines: { number: number; isAdded: boolean }[] = [];
  for (const { first, end, newStart } of patch.hunks) {
    let next = newStart;
    for (let line = first; line < end; line++) {
      const kind = patch.kind[line];
      if (kind === LINE_ADDED) lines.push({ number: next, isAdded: true });
      else if (kind === LINE_REMOVED && lines.at(-1)?.number !== next)
        lines.push({ number: next, isAdded: false });
      if (kind !== LINE_REMOVED) next += 1;
    }
  }
  return lines;
}
