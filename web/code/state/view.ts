import { create } from "zustand";
import type { Expansion, Layout } from "../../../src/render/diff/row-model.ts";
import type { DiffFile, ReviewSettings } from "../../../src/review/api-types.ts";
import { sendJson } from "../../shared/api/client.ts";

/** View state of the diff. The server stores layout, wrapping and whitespace. */
interface ViewState {
  readonly layout: Layout;
  readonly wrap: boolean;
  /** False leaves out changes of whitespace alone. */
  readonly whitespace: boolean;
  readonly treeOpen: boolean;
  readonly commentsOpen: boolean;
  readonly filter: string;
  readonly closedFolders: ReadonlySet<string>;
  /** By path: what the person chose; a file without an entry is folded by its kind. */
  readonly folded: ReadonlyMap<string, boolean>;
  /** By path: the fingerprint of the change that was looked at. */
  readonly viewed: ReadonlyMap<string, string>;
  /** By path, then by gap. */
  readonly expansions: ReadonlyMap<string, ReadonlyMap<number, Expansion>>;
  /** By path: the whole text of the new side, once it was needed. */
  readonly texts: ReadonlyMap<string, string>;
  /** Long lines the person asked to see whole, by `wholeLineKey`. */
  readonly wholeLines: ReadonlySet<string>;
  /** The note on the round before has been dismissed. */
  readonly roundSeen: boolean;
  readonly dialog: "none" | "send" | "approve" | "help" | "palette" | "compare" | "rounds";
}

export const useView = create<ViewState>(() => ({
  layout: innerWidth < 900 ? "unified" : "split",
  wrap: true,
  whitespace: true,
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

/** True when the file shows its header alone: by choice, else because it was viewed or is generated. */
export function isFolded(view: Pick<ViewState, "folded" | "viewed">, file: DiffFile): boolean {
  return view.folded.get(file.path) ?? (file.generated || isViewed(view, file));
}

/** A mark counts only for the change it was made on. */
export function isViewed(view: Pick<ViewState, "viewed">, file: DiffFile): boolean {
  return view.viewed.get(file.path) === file.fingerprint;
}

/** Marks a file as viewed, or takes the mark away; a viewed file folds. */
export function setViewed(file: DiffFile, viewed: boolean): void {
  useView.setState((state) => {
    const [marks, folded] = [new Map(state.viewed), new Map(state.folded)];
    if (viewed) marks.set(file.path, file.fingerprint);
    else marks.delete(file.path);
    folded.delete(file.path);
    return { viewed: marks, folded };
  });
}

/** Folds a file or unfolds it, whatever its kind. */
export function setFolded(file: DiffFile, folded: boolean): void {
  useView.setState((state) => ({ folded: withEntry(state.folded, file.path, folded) }));
}

/** Names a line: one of the patch by its index, one between the hunks by its number. */
export function wholeLineKey(path: string, line: number, isContext: boolean): string {
  return `${path}:${isContext ? "context " : ""}${line}`;
}

/** Shows all of a long line; `key` is a `wholeLineKey`. */
export function showWholeLine(key: string): void {
  useView.setState(({ wholeLines }) => ({ wholeLines: new Set([...wholeLines, key]) }));
}

/** Keeps the whole text of a file's new side. */
export function keepText(path: string, text: string): void {
  useView.setState(({ texts }) => ({ texts: withEntry(texts, path, text) }));
}

/** Changes which lines of a file's gaps are shown; `change` gets a copy of its own. */
export function changeExpansions(path: string, change: (gaps: Map<number, Expansion>) => void): void {
  useView.setState(({ expansions }) => {
    const gaps = new Map(expansions.get(path));
    change(gaps);
    return { expansions: withEntry(expansions, path, gaps) };
  });
}

/** Another diff: what was fetched of its files, and opened between its lines, is of no use. */
export function forgetTexts(): void {
  useView.setState({ texts: new Map(), expansions: new Map(), wholeLines: new Set() });
}

/** Takes over what the server remembers. Narrow windows stay unified: two columns would not fit. */
export function applySettings(settings: ReviewSettings): void {
  const { layout, wrap, whitespace } = settings.view ?? {};
  useView.setState({
    ...(layout && innerWidth >= 900 ? { layout } : {}),
    ...(wrap === undefined ? {} : { wrap }),
    ...(whitespace === undefined ? {} : { whitespace }),
  });
}

/** Changes how the diff is shown and has the server remember it; a failure to remember is no failure here. */
export function changeView(change: Partial<Pick<ViewState, "layout" | "wrap" | "whitespace">>): void {
  useView.setState(change);
  const { layout, wrap, whitespace } = useView.getState();
  void sendJson("PUT", "/api/settings", { view: { layout, wrap, whitespace } });
}

export const openDialog = (dialog: ViewState["dialog"]): void => useView.setState({ dialog });

/** A copy with one more entry. Maps and no objects: a file may be called `constructor`. */
function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  path: string,
  value: Value,
): ReadonlyMap<string, Value> {
  return new Map(map).set(path, value);
}
