import { diffArrays } from "diff";
import type { TextStretch } from "../../../src/render/markdown/model.ts";

/** How one text became another. */
export interface WordEdits {
  /** Stretches of the later text that are new. */
  readonly added: readonly TextStretch[];
  /** What was removed, each in front of the later text's character at `offset`. */
  readonly removed: readonly { readonly offset: number; readonly text: string }[];
}

/** A comparison of texts with more differing words than this takes seconds, and nobody reads it word by word. */
const MAX_EDITS = 1_500;

interface Part {
  readonly value: string;
  readonly added: boolean;
  readonly removed: boolean;
}

/** Returns which words differ, or undefined where hardly any are the same. */
export function compareByWord(before: string, after: string): WordEdits | undefined {
  const parts = diffArrays(tokensOf(before), tokensOf(after), { maxEditLength: MAX_EDITS });
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

/** Words, spaces and other characters; scripts without spaces are compared character by character. */
function tokensOf(text: string): string[] {
  return text.match(TOKENS) ?? [];
}

const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}_]+|\s+|./gsu;

/** Edits with nothing but a space between them are one: "one two" → "three four" reads better than word by word. */
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
