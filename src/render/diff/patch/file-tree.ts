import type { DiffFile } from "../../../review/api-types.ts";

/** The properties of a file that the tree needs. */
export type TreeFile = Pick<DiffFile, "path" | "index">;

/** A row of the tree. A folder that contains only another folder shares a row with it. */
export interface TreeRow<File extends TreeFile = DiffFile> {
  readonly key: string;
  readonly depth: number;
  readonly name: string;
  /** Set for a folder: its full path with a trailing slash. */
  readonly folder?: string;
  readonly open: boolean;
  /** Set for a file. */
  readonly file?: File;
  /** The number of files in a folder and its subfolders; 1 for a file. */
  readonly fileCount: number;
}

interface Folder<File> {
  readonly path: string;
  readonly folders: Map<string, Folder<File>>;
  readonly files: File[];
}

/** Returns the rows of the tree for the given files, folders first, without the content of closed folders. */
export function treeRows<File extends TreeFile>(
  files: readonly File[],
  closed: ReadonlySet<string>,
): TreeRow<File>[] {
  const root: Folder<File> = { path: "", folders: new Map(), files: [] };
  for (const file of files) folderFor(root, file.path).files.push(file);
  const rows: TreeRow<File>[] = [];
  addFolder(rows, root, 0, closed);
  return rows;
}

/** Returns the files whose current and old paths together contain all terms of the filter, ignoring case. */
export function filterFiles(files: readonly DiffFile[], filter: string): readonly DiffFile[] {
  const terms = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (terms.length === 0) return files;
  return files.filter((file) => {
    const path = `${file.path} ${file.oldPath ?? ""}`.toLowerCase();
    return terms.every((word) => path.includes(word));
  });
}

/** Returns the files in the order of the tree, which the diff uses too. */
export function treeOrder<File extends TreeFile>(files: readonly File[]): readonly File[] {
  return treeRows(files, new Set()).flatMap((row) => (row.file ? [row.file] : []));
}

function folderFor<File>(root: Folder<File>, path: string): Folder<File> {
  let folder = root;
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const name = path.slice(folder.path.length, slash);
    let next = folder.folders.get(name);
    if (!next) {
      next = { path: path.slice(0, slash + 1), folders: new Map(), files: [] };
      folder.folders.set(name, next);
    }
    folder = next;
  }
  return folder;
}

function addFolder<File extends TreeFile>(
  rows: TreeRow<File>[],
  folder: Folder<File>,
  depth: number,
  closed: ReadonlySet<string>,
): void {
  const folders = [...folder.folders.values()].sort((a, b) => compare(a.path, b.path));
  for (const child of folders) {
    const { folder: shown, name } = joined(child, folder.path);
    const open = !closed.has(shown.path);
    rows.push({ key: shown.path, depth, name, folder: shown.path, open, fileCount: countFiles(shown) });
    if (open) addFolder(rows, shown, depth + 1, closed);
  }
  for (const file of [...folder.files].sort((a, b) => compare(a.path, b.path))) {
    const name = file.path.slice(folder.path.length);
    rows.push({ key: `${file.index}`, depth, name, open: false, file, fileCount: 1 });
  }
}

function joined<File>(folder: Folder<File>, parent: string): { folder: Folder<File>; name: string } {
  let shown = folder;
  while (shown.files.length === 0 && shown.folders.size === 1) {
    const [only] = shown.folders.values();
    if (!only) break;
    shown = only;
  }
  return { folder: shown, name: shown.path.slice(parent.length, -1) };
}

function countFiles(folder: Folder<unknown>): number {
  let count = folder.files.length;
  for (const child of folder.folders.values()) count += countFiles(child);
  return count;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
