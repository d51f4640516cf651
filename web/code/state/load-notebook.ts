import type { DiffFile, NotebookDiff } from "../../../src/review/api-types.ts";
import { explain, getJson } from "../../shared/api/client.ts";
import { createNotebookText, type NotebookText } from "../core/notebook/notebook-text.ts";
import { createNotebookView } from "../core/notebook/notebook-view.ts";
import { type LoadedNotebook, loadedNotebook, useNotebooks } from "./notebooks.ts";
import { useSession } from "./session.ts";

/** Fetches the cells of a notebook. After a failure, the raw diff is shown. */
export async function loadNotebook(file: DiffFile): Promise<void> {
  const { diffQuery } = useSession.getState();
  const result = await getJson<NotebookDiff>(
    `/api/diff/notebook?path=${encodeURIComponent(file.path)}&${diffQuery}`,
  );
  if (!result.ok) keep(file, { problem: explain(result) });
  else if ("problem" in result.value) keep(file, { problem: result.value.problem });
  else keep(file, { view: viewOf(file.path, createNotebookText(result.value)) });
}

/** Stores a notebook, and drops the notebooks of earlier diffs. */
function keep(file: DiffFile, notebook: LoadedNotebook): void {
  const files = new Set(useSession.getState().files);
  useNotebooks.setState(({ loaded }) => ({
    loaded: new Map([...loaded].filter(([each]) => files.has(each))).set(file, notebook),
  }));
}

function viewOf(path: string, text: NotebookText) {
  return createNotebookView(text, useNotebooks.getState().opened.get(path) ?? new Set());
}

/** Shows or hides folded cells, metadata or rendered Markdown by their key. */
export function toggleOpened(file: DiffFile, key: string): void {
  const { path } = file;
  const { loaded, opened } = useNotebooks.getState();
  const keys = new Set(opened.get(path));
  if (!keys.delete(key)) keys.add(key);
  useNotebooks.setState({ opened: new Map(opened).set(path, keys) });
  const text = loaded.get(file)?.view?.text;
  if (text) keep(file, { view: viewOf(path, text) });
}

/** Shows all folded cells. */
export function openAll(file: DiffFile): void {
  for (const block of loadedNotebook(file)?.view?.blocks ?? []) {
    if (block.kind === "folded") toggleOpened(file, block.key);
  }
}

/** Shows a notebook by cells or as a raw diff. */
export function toggleRaw(path: string): void {
  useNotebooks.setState(({ raw }) => {
    const next = new Set(raw);
    if (!next.delete(path)) next.add(path);
    return { raw: next };
  });
}
