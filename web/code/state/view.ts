import { create } from "zustand";
import type { Expansion, Layout } from "../../../src/render/diff/row-model.ts";
import type { DiffFile, ReviewSettings, TabWidth } from "../../../src/review/api-types.ts";
import { sendJson } from "../../shared/api/client.ts";

export type DialogName =
  | "none"
  | "send"
  | "approve"
  | "help"
  | "palette"
  | "compare"
  | "rounds"
  | "share"
  | "import"
  | "post";

/**
 * View state of the diff. The server stores layout, wrapping, whitespace and the width of tabs as settings, and the
 * viewed marks in the draft.
 */
interface ViewState {
  readonly layout: Layout;
  readonly wrap: boolean;
  /** Whether whitespace-only changes are shown. */
  readonly whitespace: boolean;
  readonly tabWidth: TabWidth;
  readonly treeOpen: boolean;
  readonly commentsOpen: boolean;
  readonly filter: string;
  readonly closedFolders: ReadonlySet<string>;
  /** Explicit choices by path; `isFolded` decides about other files. */
  readonly folded: ReadonlyMap<string, boolean>;
  /** Fingerprints of the viewed changes, by path. */
  readonly viewed: ReadonlyMap<string, string>;
  /** The lines shown between hunks, by path and by index of the gap. */
  readonly expansions: ReadonlyMap<string, ReadonlyMap<number, Expansion>>;
  /** Texts of the new side by path, loaded on first use. */
  readonly texts: ReadonlyMap<string, string>;
  /** Long lines shown in full, by `wholeLineKey`. */
  readonly wholeLines: ReadonlySet<string>;
  /** Whether the notice about the last round was dismissed. */
  readonly roundSeen: boolean;
  readonly dialog: DialogName;
}

export const useView = create<ViewState>(() => ({
  layout: innerWidth < 900 ? "unified" : "split",
  wrap: true,
  whitespace: true,
  tabWidth: 4,
  treeOpen: innerWidth >= 1_100,
  commentsOpen: false,
  filter: "",
  closedFolders: new Set(),
  folded: new Map(),
  viewed: new Map(),
  expansions: new Map(),
  texts: new Map(),
  wholeLines: new Set(),
  roundSeen: false,
  dialog: "none",
}));

/**
 * Returns whether only the file's header is shown: by the person's choice, or otherwise if the file is viewed
 * or generated.
 */
export function isFolded(view: Pick<ViewState, "folded" | "viewed">, file: DiffFile): boolean {
  return view.folded.get(file.path) ?? (file.generated || isViewed(view, file));
}

/** Returns whether a file is viewed. A mark is valid only for the change on which it was made. */
export function isViewed(view: Pick<ViewState, "viewed">, file: DiffFile): boolean {
  return view.viewed.get(file.path) === file.fingerprint;
}

/** Marks a file as viewed, which folds it, or removes the mark. */
export function setViewed(file: DiffFile, viewed: boolean): void {
  useView.setState((state) => {
    const [marks, folded] = [new Map(state.viewed), new Map(state.folded)];
    if (viewed) marks.set(file.path, file.fingerprint);
    else marks.delete(file.path);
    folded.delete(file.path);
    return { viewed: marks, folded };
  });
}

export function setFolded(file: DiffFile, folded: boolean): void {
  useView.setState((state) => ({ folded: withEntry(state.folded, file.path, folded) }));
}

/**
 * Returns the key of a long line. `line` is the index of a line in the patch, or the number of a line between
 * the hunks.
 */
export function wholeLineKey(path: string, line: number, isContext: boolean): string {
  return `${path}:${isContext ? "context " : ""}${line}`;
}

/** Shows a long line in full. `key` is a `wholeLineKey`. */
export function showWholeLine(key: string): void {
  useView.setState(({ wholeLines }) => ({ wholeLines: new Set([...wholeLines, key]) }));
}

export function keepText(path: string, text: string): void {
  useView.setState(({ texts }) => ({ texts: withEntry(texts, path, text) }));
}

/** Changes the expanded lines of a file's gaps. `change` receives a copy. */
export function changeExpansions(path: string, change: (gaps: Map<number, Expansion>) => void): void {
  useView.setState(({ expansions }) => {
    const gaps = new Map(expansions.get(path));
    change(gaps);
    return { expansions: withEntry(expansions, path, gaps) };
  });
}

/** Clears fetched texts, expanded gaps and long lines shown in full, because another diff is shown. */
export function forgetTexts(): void {
  useView.setState({ texts: new Map(), expansions: new Map(), wholeLines: new Set() });
}

/** Applies the stored settings. Narrow windows stay unified, because two columns do not fit. */
export function applySettings(settings: ReviewSettings): void {
  const { layout, wrap, whitespace, tabWidth } = settings.view ?? {};
  useView.setState({
    ...(layout && innerWidth >= 900 ? { layout } : {}),
    ...(wrap === undefined ? {} : { wrap }),
    ...(whitespace === undefined ? {} : { whitespace }),
    ...(tabWidth === undefined ? {} : { tabWidth }),
  });
}

/** Changes settings of the view, and stores the settings on the server. Ignores a failure to store them. */
export function changeView(
  change: Partial<Pick<ViewState, "layout" | "wrap" | "whitespace" | "tabWidth">>,
): void {
  useView.setState(change);
  const { layout, wrap, whitespace, tabWidth } = useView.getState();
  void sendJson("PUT", "/api/settings", { view: { layout, wrap, whitespace, tabWidth } });
}

export const openDialog = (dialog: ViewState["dialog"]): void => useView.setState({ dialog });

/**
 * Returns a copy of a map in which a path has this value. Entries by path are in maps, not objects, because a file may
 * be named `constructor`.
 */
function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  path: string,
  value: Value,
): ReadonlyMap<string, Value> {
  return new Map(map).set(path, value);
}
