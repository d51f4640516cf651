import {
  LINE_ADDED,
  LINE_CONTEXT,
  LINE_REMOVED,
  lineNumber,
  lineText,
  type ParsedPatch,
  type Side,
} from "../../../render/diff/patch/parsed-patch.ts";
import type { DiffFile, MechanicalKind } from "../../api-types.ts";
import { type Syntax, syntaxOf, tokensOf } from "./code-tokens.ts";
import { importLines } from "./import-lines.ts";
import { RenamedNames, renamingsBetween } from "./renamed-names.ts";

/** Reports whether a line was moved without being edited. */
export type IsMoved = (side: Side, number: number) => boolean;

/** The mechanical kinds of a file's changes. */
export interface MechanicalChanges {
  readonly kinds: ReadonlySet<MechanicalKind>;
  /** New names by old name. They are mechanical only if `isConfirmed` returns true. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Returns `generated` or `file-renamed` for a file whose changed lines need not be searched. */
export function kindOfFile(file: DiffFile): MechanicalKind | undefined {
  if (file.generated) return "generated";
  const isUnchanged = file.additions + file.deletions === 0 && !file.binary && file.oldMode === file.newMode;
  return file.status === "renamed" && isUnchanged ? "file-renamed" : undefined;
}

/** Searches the files of a diff for mechanical changes. */
export class MechanicalSearch {
  private readonly names = new RenamedNames();

  /**
   * Returns the kinds of a file's changes; undefined if one of them is not mechanical, or if the patch has no hunks or
   * cannot be parsed. Adds the renamed names of the file.
   */
  add(file: DiffFile, patch: ParsedPatch, isMoved: IsMoved): MechanicalChanges | undefined {
    const kinds = new Set<MechanicalKind>();
    const renamed = new Map<string, string>();
    let isMechanical = !patch.broken && patch.hunks.length > 0;
    const syntax = syntaxOf(file.path);
    for (const group of changedGroups(file.path, patch)) {
      const change = this.classify(patch, group, syntax, isMoved);
      if (!change) isMechanical = false;
      for (const kind of change?.kinds ?? []) kinds.add(kind);
      for (const [from, to] of change?.renamed ?? []) renamed.set(from, to);
    }
    return isMechanical && kinds.size > 0 ? { kinds, renamed } : undefined;
  }

  /**
   * Reports whether the whole diff confirms every rename in a file (see `RenamedNames.isRename`). Call it after all
   * files have been added.
   */
  isConfirmed({ renamed }: MechanicalChanges): boolean {
    return [...renamed].every(([from, to]) => this.names.isRename(from, to));
  }

  private classify(
    patch: ParsedPatch,
    { lines, imports }: Group,
    syntax: Syntax,
    isMoved: IsMoved,
  ): MechanicalChanges | undefined {
    const kinds = new Set<MechanicalKind>();
    const rest: Record<Side, string[]> = { old: [], new: [] };
    for (const [index, line] of lines.entries()) {
      const side = patch.kind[line] === LINE_REMOVED ? "old" : "new";
      const text = lineText(patch, line);
      if (imports[index]) kinds.add("imports");
      else if (isMoved(side, lineNumber(patch, line, side))) kinds.add("moved");
      else rest[side].push(text);
    }
    const isBlank = (text: string) => text.trim() === "";
    if (rest.old.every(isBlank) && rest.new.every(isBlank)) {
      if (kinds.size === 0) kinds.add("formatting");
      return { kinds, renamed: NO_NAMES };
    }
    const [before, after] = [tokensOf(rest.old, syntax), tokensOf(rest.new, syntax)];
    if (before.length === after.length && before.every((token, index) => token === after[index])) {
      return { kinds: kinds.add("formatting"), renamed: NO_NAMES };
    }
    const renamed = renamingsBetween(before, after);
    if (!renamed) return undefined;
    this.names.add(renamed, rest.old, rest.new);
    return { kinds: kinds.add("names"), renamed };
  }
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Changed lines without context between them, and which of them are imports. */
interface Group {
  readonly lines: readonly number[];
  readonly imports: readonly boolean[];
}

function changedGroups(path: string, patch: ParsedPatch): readonly Group[] {
  const groups: Group[] = [];
  for (const { first, end } of patch.hunks) {
    const imports = importsIn(path, patch, first, end);
    let lines: number[] = [];
    for (let line = first; line <= end; line++) {
      const isChanged = line < end && patch.kind[line] !== LINE_CONTEXT;
      if (isChanged) lines.push(line);
      else if (lines.length > 0) {
        groups.push({ lines, imports: lines.map((each) => imports.has(each)) });
        lines = [];
      }
    }
  }
  return groups;
}

/** Returns the lines of a hunk that are imports, on either side. */
function importsIn(path: string, patch: ParsedPatch, first: number, end: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (const other of [LINE_ADDED, LINE_REMOVED]) {
    const lines: number[] = [];
    for (let line = first; line < end; line++) if (patch.kind[line] !== other) lines.push(line);
    const flags = importLines(
      path,
      lines.map((line) => lineText(patch, line)),
    );
    for (const [index, line] of lines.entries()) if (flags[index]) found.add(line);
  }
  return found;
}
