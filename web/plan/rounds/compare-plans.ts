import { diffArrays, diffWordsWithSpace } from "diff";
import { parser } from "../../shared/markdown/parse/parser.ts";
import { sourceLines } from "../../shared/markdown/parse/source-lines.ts";

/** A part of the comparison of two rounds, in reading order. */
export type PlanChange =
  | { readonly kind: "same" | "added" | "removed"; readonly text: string }
  | { readonly kind: "changed"; readonly before: string; readonly after: string };

/** Compares two rounds block by block: paragraphs, list items, tables, code. */
export function comparePlans(before: string, after: string): PlanChange[] {
  const changes: PlanChange[] = [];
  const parts = diffArrays(blockTexts(before), blockTexts(after));
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    const next = parts[index + 1];
    if (!part) continue;
    if (part.removed && next?.added) {
      changes.push(...paired(part.value, next.value));
      index += 1;
    } else {
      const kind = part.added ? "added" : part.removed ? "removed" : "same";
      changes.push(...part.value.map((text) => ({ kind, text }) as const));
    }
  }
  return changes;
}

/** How many blocks are not as they were. */
export function countChanges(changes: readonly PlanChange[]): number {
  return changes.filter(({ kind }) => kind !== "same").length;
}

/** Stretches of a text that are new or gone, by words. */
export interface WordRange {
  readonly start: number;
  readonly end: number;
}

/** Which words of `before` have gone and which of `after` are new. */
export function compareWords(before: string, after: string): { removed: WordRange[]; added: WordRange[] } {
  const removed: WordRange[] = [];
  const added: WordRange[] = [];
  let old = 0;
  let now = 0;
  for (const part of diffWordsWithSpace(before, after)) {
    const { length } = part.value;
    if (part.removed) removed.push({ start: old, end: old + length });
    if (part.added) added.push({ start: now, end: now + length });
    if (!part.added) old += length;
    if (!part.removed) now += length;
  }
  return { removed, added };
}

/** Blocks that took each other's place belong together where they share words. */
function paired(removed: readonly string[], added: readonly string[]): PlanChange[] {
  const changes: PlanChange[] = [];
  const rest = [...added];
  for (const before of removed) {
    const at = rest.findIndex((after) => likeness(before, after) > 0.4);
    if (at === -1) {
      changes.push({ kind: "removed", text: before });
      continue;
    }
    changes.push(...rest.splice(0, at).map((text) => ({ kind: "added", text }) as const));
    const [after = ""] = rest.splice(0, 1);
    changes.push({ kind: "changed", before, after });
  }
  return [...changes, ...rest.map((text) => ({ kind: "added", text }) as const)];
}

/** The share of words two texts have in common, 0 to 1. */
function likeness(a: string, b: string): number {
  const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const [first, second] = [wordsOf(a), wordsOf(b)];
  const shared = [...first].filter((word) => second.has(word)).length;
  return shared / Math.max(1, Math.min(first.size, second.size));
}

/** The source of each top-level block; of a list, of each of its items. */
function blockTexts(source: string): string[] {
  const lines = sourceLines(source);
  const tokens = parser.parse(source, {});
  const starts = tokens
    .filter(
      ({ level, nesting, type }) =>
        nesting >= 0 && (level === 0 || (level === 1 && type === "list_item_open")),
    )
    .flatMap(({ map }) => (map ? [map[0]] : []));
  const cuts = [...new Set([0, ...starts])].sort((a, b) => a - b);
  return cuts
    .map((start, index) =>
      source.slice(lines.start(start), lines.start(cuts[index + 1] ?? lines.count)).trim(),
    )
    .filter((text) => text !== "");
}
