import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { ReviewEntry } from "../../../src/review/api-types.ts";
import { shortcutTable } from "../keyboard/shortcut-table.ts";
import type { Shortcut } from "../keyboard/shortcuts.ts";
import { repositoryName } from "../repository-name.ts";

/** An entry of the palette. */
export interface PaletteEntry {
  /** Identifies an entry whose label may occur twice. */
  readonly id?: string | undefined;
  readonly label: string;
  /** Text shown beside the label, for example the line to which the entry leads. */
  readonly detail?: string | undefined;
  /** The key that runs the same command. */
  readonly key?: string | undefined;
  readonly run: () => void;
}

export interface PaletteGroup {
  readonly name: string;
  readonly entries: readonly PaletteEntry[];
}

/** Shortcuts that describe keys of text fields, or open the palette itself. */
const NOT_LISTED = new Set<string>([
  shortcutTable.save.label,
  shortcutTable.kinds.label,
  shortcutTable.palette.label,
]);

/** Returns the page's shortcuts as entries: those that change or open something, and those that move the cursor. */
export function shortcutEntries(shortcuts: readonly Shortcut[]): {
  readonly actions: readonly PaletteEntry[];
  readonly moves: readonly PaletteEntry[];
} {
  const listed = shortcuts.filter(({ label }) => !NOT_LISTED.has(label));
  const toEntry = ({ label, keys, run }: Shortcut): PaletteEntry => ({ label, key: keys[0], run });
  return {
    actions: listed.filter(({ kind }) => kind !== "move").map(toEntry),
    moves: listed.filter(({ kind }) => kind === "move").map(toEntry),
  };
}

/** Returns entries that open the other reviews on this machine in new tabs. */
export function reviewEntries(reviews: readonly ReviewEntry[]): readonly PaletteEntry[] {
  return reviews
    .filter(({ url }) => /^https?:\/\//i.test(url))
    .map(({ id, url, title, repository }) => ({
      id,
      label: withDeceptionsShown(title || repository || "Review"),
      detail: withDeceptionsShown(repositoryName(repository)) || undefined,
      run: () => void window.open(url, "_blank", "noreferrer"),
    }));
}

/** Returns the entries whose label contains every word of a text, ignoring case. Pure. */
export function filterEntries(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  const terms = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ label }) => terms.every((term) => label.toLowerCase().includes(term)));
}
