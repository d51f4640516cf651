import { filterFiles } from "../../../src/render/diff/patch/file-tree.ts";
import { splitPath } from "../../../src/render/diff/patch/shown-path.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { filterEntries, type PaletteEntry } from "../../shared/palette/palette-entries.ts";

/** The contents of the palette. */
export interface PaletteContent {
  readonly files: readonly DiffFile[];
  /** Commands that change or open something. */
  readonly actions: readonly PaletteEntry[];
  /** Commands that move the cursor. */
  readonly moves: readonly PaletteEntry[];
  /** The other reviews of this machine. */
  readonly reviews: readonly PaletteEntry[];
}

export interface FoundGroup {
  readonly name: "Files" | "Actions" | "Open reviews" | "Move";
  readonly files: readonly DiffFile[];
  readonly commands: readonly PaletteEntry[];
}

/** Maximum number of listed files. */
const MAX_FILES = 30;
/** Maximum number of files that are listed for an empty search. */
const MAX_FIRST_FILES = 6;

/**
 * Returns the entries that contain every word of a text, ignoring case, in groups: files, actions, other reviews and
 * moves. Actions are first if one begins with the text. Files with a better matching name come first. Leaves out empty
 * groups. Pure.
 */
export function paletteGroups(
  text: string,
  { files, actions, moves, reviews }: PaletteContent,
): readonly FoundGroup[] {
  const search = text.trim().toLowerCase();
  const terms = search.split(/\s+/).filter(Boolean);
  const toGroup = (name: FoundGroup["name"], entries: readonly PaletteEntry[]): FoundGroup => ({
    name,
    files: [],
    commands: filterEntries(entries, search),
  });
  const ofFiles: FoundGroup = { name: "Files", files: matchingFiles(files, search, terms), commands: [] };
  const ofActions = toGroup("Actions", actions);
  const isAction = search !== "" && actions.some(({ label }) => label.toLowerCase().startsWith(search));
  const groups = [
    ...(isAction ? [ofActions, ofFiles] : [ofFiles, ofActions]),
    toGroup("Open reviews", reviews),
    toGroup("Move", moves),
  ];
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
