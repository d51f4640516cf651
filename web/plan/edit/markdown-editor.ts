import { history, historyField, historyKeymap, isolateHistory, standardKeymap } from "@codemirror/commands";
import { markdownKeymap, markdownLanguage } from "@codemirror/lang-markdown";
import { syntaxHighlighting } from "@codemirror/language";
import { closeSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, type Text } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from "@codemirror/view";
import type { OpenEditor } from "../dom/open-editor.ts";
import { coveredTop } from "../dom/visible-blocks.ts";
import { markDeceptions } from "./editor-deceptions.ts";
import { editorTheme, highlightStyle } from "./editor-theme.ts";

/** A selection as offsets in the text with LF line endings. */
export interface Selection {
  readonly anchor: number;
  readonly head: number;
}

export interface EditorOptions {
  readonly label: string;
  readonly source: string;
  /** The initial selection, or the initial line of the caret, from 1. */
  readonly at: Selection | number;
  readonly onText: (text: string) => void;
  /** Called with the caret's line, from 1, when it changes. */
  readonly onCaretLine: (line: number) => void;
}

export interface MarkdownEditor extends OpenEditor {
  /** Shows a text that was changed elsewhere. */
  readonly show: (text: string) => void;
  readonly focus: () => void;
  readonly close: () => void;
}

/** Marks a change that does not come from the person. */
const fromOutside = Annotation.define<boolean>();

/** State of the editor that was closed last, so that changes can be undone when the editor opens again. */
let closed: unknown;

const KEPT = { history: historyField };
const GAP = 12;
/** Height in pixels that toasts and, on phones, the decision buttons cover at the bottom of the window. */
const COVERED_BOTTOM = 80;

/** The keys that open the search panel and that move to the next or previous match. */
const findKeys = searchKeymap.filter(({ key = "" }) => /^(?:Mod-f|F3|Mod-g)$/.test(key));

const phrases = {
  next: "Next",
  previous: "Previous",
  "match case": "Match case",
  regexp: "Regular expression",
  "by word": "Whole words",
  replace: "Replace",
  "replace all": "Replace all",
  close: "Close",
};

/** Opens a Markdown editor in an element. Leaves Tab to the browser, so that the editor does not trap the focus. */
export function openEditor(parent: HTMLElement, options: EditorOptions): MarkdownEditor {
  const { label, source, at, onText, onCaretLine } = options;
  let text = source;
  const onUpdate = ({ docChanged, selectionSet, transactions, state, startState }: ViewUpdate) => {
    if (docChanged && !transactions.every((transaction) => transaction.annotation(fromOutside))) {
      text = toText(state.doc);
      onText(text);
    }
    if (!docChanged && !selectionSet) return;
    const line = caretLine(state);
    if (line !== caretLine(startState)) onCaretLine(line);
  };
  const extensions = [
    // If no search is open, the page handles the key and returns to the plan.
    keymap.of([{ key: "Escape", run: closeSearchPanel, scope: "editor search-panel" }]),
    keymap.of([...findKeys, ...markdownKeymap, ...historyKeymap, ...standardKeymap]),
    history(),
    search({ top: true }),
    lineNumbers(),
    highlightActiveLineGutter(),
    markDeceptions,
    markdownLanguage,
    syntaxHighlighting(highlightStyle),
    editorTheme,
    EditorView.lineWrapping,
    EditorView.scrollMargins.of(() => ({ top: coveredTop() + GAP, bottom: COVERED_BOTTOM })),
    EditorView.contentAttributes.of({ "aria-label": label }),
    EditorView.updateListener.of(onUpdate),
    EditorState.phrases.of(phrases),
  ];
  const state =
    closed === undefined
      ? EditorState.create({ doc: source, extensions })
      : EditorState.fromJSON(closed, { extensions }, KEPT);
  const view = new EditorView({ state, parent });
  let original = { text: source, doc: view.state.doc, lineEnd: lineEndOf(source) };

  /** Returns the text with the line endings of the original. The unchanged text is returned exactly. */
  function toText(doc: Text): string {
    return doc.eq(original.doc) ? original.text : doc.sliceString(0, doc.length, original.lineEnd);
  }

  /** Shows another text, in one step that can be undone. */
  function replaceText(replacement: string): void {
    text = replacement;
    const changes = changeBetween(view.state.sliceDoc(), replacement.replace(/\r\n?/g, "\n"));
    view.dispatch({ changes, annotations: [fromOutside.of(true), isolateHistory.of("full")] });
    original = { text: replacement, doc: view.state.doc, lineEnd: lineEndOf(replacement) };
  }

  replaceText(source);
  const length = view.state.doc.length;
  const selection =
    typeof at === "number"
      ? { anchor: lineStart(view.state, at) }
      : { anchor: Math.min(at.anchor, length), head: Math.min(at.head, length) };
  view.dispatch({ selection });
  onCaretLine(caretLine(view.state));

  return {
    show: (other) => {
      if (other !== text) replaceText(other);
    },
    focus: () => view.contentDOM.focus({ preventScroll: true }),
    close: () => {
      closed = view.state.toJSON(KEPT);
      view.destroy();
    },
    lineAtTop: () => {
      // The preview that replaces the editor shows the caret's block.
      if (!view.dom.checkVisibility()) return caretLine(view.state);
      if (view.contentDOM.getBoundingClientRect().top >= 0) return 1;
      const { from } = view.lineBlockAtHeight(coveredTop() + 1 - view.documentTop);
      return view.state.doc.lineAt(from).number;
    },
    goToLine: (line) => {
      const start = lineStart(view.state, line);
      view.dispatch({ effects: EditorView.scrollIntoView(start, { y: "start", yMargin: 0 }) });
    },
  };
}

function caretLine({ doc, selection }: EditorState): number {
  return doc.lineAt(selection.main.head).number;
}

function lineStart({ doc }: EditorState, line: number): number {
  return doc.line(Math.min(Math.max(line, 1), doc.lines)).from;
}

/** Returns the line ending of a text: CRLF if all endings are CRLF, otherwise LF. */
function lineEndOf(text: string): string {
  return text.includes("\r\n") && !/(?:^|[^\r])\n|\r(?!\n)/.test(text) ? "\r\n" : "\n";
}

/** Returns the smallest single change that turns one text into another, so that the caret stays beside its text. */
function changeBetween(before: string, after: string) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  if (start === before.length && start === after.length) return [];
  return [{ from: start, to: before.length - end, insert: after.slice(start, after.length - end) }];
}
