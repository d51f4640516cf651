import { diffArrays } from "diff";
import type { TextStretch } from "../../../src/render/markdown/model.ts";

/** The edits that turn one text into another. */
export interface WordEdits {
  /** Added ranges of the later text. */
  readonly added: readonly TextStretch[];
  /** Removed texts, each before the character at `offset` of the later text. */
  readonly removed: readonly { readonly offset: number; readonly text: string }[];
}

/**
 * Maximum number of edits of a comparison by word. With more edits, the comparison would take seconds and its result
 * would be unreadable.
 */
const MAX_EDITS = 1_500;

interface Part {
  readonly value: string;
  readonly added: boolean;
  readonly removed: boolean;
}

/** Returns the words that differ; undefined if the texts differ by more than `MAX_EDITS` edits. */
export function compareByWord(before: string, after: string): WordEdits | undefined {
  const parts = diffArrays(splitTokens(before), splitTokens(after), { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  const added: TextStretch[] = [];
  const removed: { offset: number; text: string }[] = [];
  let offset = 0;
  for (const { value, ...part } of joined(parts.map((part) => ({ ...part, value: part.value.join("") })))) {
    if (part.removed) removed.push({ offset, text: value });
    if (part.added) added.push({ start: offset, end: offset + value.length });
    if (!part.removed) offset += value.length;
  }
  return { added, removed };
}

/** Splits a text into words, spaces and other characters. Han, kana and Thai text is split into characters. */
function splitTokens(text: string): string[] {
  return text.match(TOKENS) ?? [];
}

const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}_]+|\s+|./gsu;

/** Joins edits that are separated only by spaces: "one two" → "three four" is easier to read as one edit. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  let removed = "";
  let added = "";
  const flush = () => {
    if (removed !== "") result.push({ value: removed, removed: true, added: false });
    if (added !== "") result.push({ value: added, removed: false, added: true });
    [removed, added] = ["", ""];
  };
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    const isGap = /^ +$/.test(part.value) && removed !== "" && added !== "" && next !== undefined;
    if (part.removed) removed += part.value;
    else if (part.added) added += part.value;
    else if (isGap) {
      removed += part.value;
      added += part.value;
    } else {
      flush();
      result.push(part);
    }
  }
  flush();
  return result;
}
