import { create } from "zustand";
import type { DiffFile, ReviewSettings } from "../../../src/review/api-types.ts";
import { sendJson } from "../../shared/api/client.ts";
import type { Expansion, Layout } from "../core/row-model.ts";

/** How the diff is looked at. Layout, wrapping and white space are remembered by the server. */
interface ViewState {
  readonly layout: Layout;
  readonly wrap: boolean;
  /** False leaves out changes of white space alone. */
  readonly whitespace: boolean;
  readonly treeOpen: boolean;
  readonly panelOpen: boolean;
  readonly filter: string;
  readonly closedFolders: ReadonlySet<string>;
  /** By path: what the person chose; a file without an entry is folded by its kind. */
  readonly folded: Readonly<Record<string, boolean>>;
  /** By path: the fingerprint of the change that was looked at. */
  readonly viewed: Readonly<Record<string, string>>;
  /** By path, then by gap. */
  readonly expansions: Readonly<Record<string, ReadonlyMap<number, Expansion>>>;
  /** By path: the whole text of the new side, once it was needed. */
  readonly texts: Readonly<Record<string, string>>;
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
  panelOpen: false,
  filter: "",
  closedFolders: new Set(),
  folded: {},
  viewed: {},
  expansions: {},
  texts: {},
  wholeLines: new Set(),
  roundSeen: false,
  dialog: "none",
}));

/** True when the file shows its header alone: by choice, else because it was viewed or is generated. */
export function isFolded(view: Pick<ViewState, "folded" | "viewed">, file: DiffFile): boolean {
  return view.folded[file.path] ?? (file.generated || isViewed(view, file));
}

/** A mark counts only for the change it was made on. */
export function isViewed(view: Pick<ViewState, "viewed">, file: DiffFile): boolean {
  return view.viewed[file.path] === file.fingerprint;
}

/** Marks a file as viewed, or takes the mark away; a viewed file folds. */
export function setViewed(file: DiffFile, viewed: boolean): void {
  useView.setState((state) => {
    const { [file.path]: _mark, ...viewedOthers } = state.viewed;
    const { [file.path]: _fold, ...foldedOthers } = state.folded;
    return {
      viewed: viewed ? { ...viewedOthers, [file.path]: file.fingerprint } : viewedOthers,
      folded: foldedOthers,
    };
  });
}

export function setFolded(file: DiffFile, folded: boolean): void {
  useView.setState((state) => ({ folded: { ...state.folded, [file.path]: folded } }));
}

/** Names a line: one of the patch by its index, one between the hunks by its number. */
export function wholeLineKey(path: string, line: number, isContext: boolean): string {
  return `${path}:${isContext ? "context " : ""}${line}`;
}

export function showWholeLine(key: string): void {
  useView.setState(({ wholeLines }) => ({ wholeLines: new Set([...wholeLines, key]) }));
}

/** Another diff: what was fetched of its files, and opened between its lines, is of no use. */
export function forgetTexts(): void {
  useView.setState({ texts: {}, expansions: {}, wholeLines: new Set() });
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
