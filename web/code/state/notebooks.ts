import { create } from "zustand";
import type { DiffFile } from "../../../src/review/api-types.ts";
import type { NotebookText } from "../core/notebook/notebook-text.ts";
import type { NotebookView } from "../core/notebook/notebook-view.ts";
import { useSession } from "./session.ts";

/** A notebook of the diff. */
export interface LoadedNotebook {
  /** Undefined if there is a problem. */
  readonly view?: NotebookView | undefined;
  /** The reason why the notebook cannot be shown by cells. */
  readonly problem?: string | undefined;
}

interface NotebooksState {
  /**
   * Notebooks by file object, not by path: another diff has other objects, and a path can be listed twice.
   */
  readonly loaded: ReadonlyMap<DiffFile, LoadedNotebook>;
  /** Keys of the folded cells, metadata and rendered Markdown that are shown, by path. */
  readonly opened: ReadonlyMap<string, ReadonlySet<string>>;
  /** Paths of the notebooks that are shown as raw diffs. */
  readonly raw: ReadonlySet<string>;
  /** False for a saved page, which has no server. */
  readonly isServed: boolean;
}

export const useNotebooks = create<NotebooksState>(() => ({
  loaded: new Map(),
  opened: new Map(),
  raw: new Set(),
  isServed: true,
}));

/**
 * Returns whether a file can be shown by cells. While only the changes since the last feedback are shown, no
 * file can, because the complete texts are missing.
 */
export function isNotebook({ path, binary, hunksOnly }: DiffFile): boolean {
  if (binary || hunksOnly || !/\.ipynb$/i.test(path) || !useNotebooks.getState().isServed) return false;
  return useSession.getState().since === undefined;
}

/** Returns a notebook that was loaded for this diff. */
export function loadedNotebook(file: DiffFile | undefined): LoadedNotebook | undefined {
  return file && useNotebooks.getState().loaded.get(file);
}

/** Returns the texts of a notebook that is shown by cells. */
export function shownNotebook(file: DiffFile | undefined): NotebookText | undefined {
  if (!file || !isNotebook(file) || useNotebooks.getState().raw.has(file.path)) return undefined;
  return loadedNotebook(file)?.view?.text;
}

/**
 * Returns the view of a file by cells; undefined for a raw diff. The first call loads the notebook; until it
 * is loaded, the result is `waiting`.
 */
export function notebookView(file: DiffFile): NotebookView | "waiting" | undefined {
  if (!isNotebook(file) || useNotebooks.getState().raw.has(file.path)) return undefined;
  const loaded = loadedNotebook(file);
  if (loaded?.problem !== undefined) return undefined;
  if (!loaded) void ensureNotebook(file);
  return loaded?.view ?? "waiting";
}

const loading = new WeakMap<DiffFile, Promise<void>>();

/** Loads a notebook. Resolves when the notebook is loaded or has a problem. */
export function ensureNotebook(file: DiffFile): Promise<void> {
  const known =
    loading.get(file) ?? import("./load-notebook.ts").then(({ loadNotebook }) => loadNotebook(file));
  loading.set(file, known);
  return known;
}
