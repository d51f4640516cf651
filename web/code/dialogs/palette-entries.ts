import { filterFiles } from "../../../src/render/diff/patch/file-tree.ts";
import { splitPath } from "../../../src/render/diff/patch/shown-path.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";

/** A command of the palette. */
export interface Command {
  readonly label: string;
  /** The key that runs the same command. */
  readonly key?: string | undefined;
  readonly run: () => void;
}

/** The contents of the palette. Files are in the order in which they are listed. */
export interface PaletteContent {
  readonly files: readonly DiffFile[];
  /** Commands that change or open something. */
  readonly actions: readonly Command[];
  /** Commands that move the cursor. Most people use them by their keys. */
  readonly moves: readonly Command[];
}

export interface PaletteGroup {
  readonly name: "Files" | "Actions" | "Move";
  readonly files: readonly DiffFile[];
  readonly commands: readonly Command[];
}

/** Maximum number of listed files. */
const MAX_FILES = 30;
/** Maximum number of files that are listed for an empty search. */
const MAX_FIRST_FILES = 6;

/**
 * Returns the entries that contain every word of a text, ignoring case: files, then actions, then moves.
 * Actions are first if one begins with the text. Among files, the name itself comes first, then names that begin with
 * the text, other matching names, and matching folders. Leaves out empty groups. Pure.
 */
export function paletteGroups(
  text: string,
  { files, actions, moves }: PaletteContent,
): readonly PaletteGroup[] {
  const search = text.trim().toLowerCase();
  const terms = search.split(/\s+/).filter(Boolean);
  const isWanted = ({ label }: Command) => terms.every((term) => label.toLowerCase().includes(term));
  const ofFiles: PaletteGroup = { name: "Files", files: matchingFiles(files, search, terms), commands: [] };
  const ofActions: PaletteGroup = { name: "Actions", files: [], commands: actions.filter(isWanted) };
  const ofMoves: PaletteGroup = { name: "Move", files: [], commands: moves.filter(isWanted) };
  const isAction = search !== "" && actions.some(({ label }) => label.toLowerCase().startsWith(search));
  const groups = isAction ? [ofActions, ofFiles, ofMoves] : [ofFiles, ofActions, ofMoves];
  return groups.filter((group) => group.files.length + group.commands.length > 0);
}

function matchingFiles(
  files: readonly DiffFile[],
  search: string,
  terms: readonly string[],
): readonly DiffFile[] {
  if (search === "") return files.slice(0, MAX_FIRST_FILES);
  const rank = ({ path }: DiffFile) => {
    const name = splitPath(path).name.toLowerCase();
    if (name === search || name.replace(/\.[^.]*$/, "") === search) return 0;
    if (name.startsWith(search)) return 1;
    return terms.some((term) => name.includes(term)) ? 2 : 3;
  };
  return filterFiles(files, search)
    .map((file) => ({ file, rank: rank(file) }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MAX_FILES)
    .map(({ file }) => file);
}
