import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const panelControl = {
  minHeight: "1.75rem",
  padding: "0 0.5rem",
  border: "1px solid var(--control-line)",
  borderRadius: "var(--radius-s)",
  background: "var(--paper)",
  color: "var(--ink)",
  fontFamily: "inherit",
  fontSize: "var(--text-s)",
};

/** The look of the editor in the colors of the page, which change with its theme. */
export const editorTheme = EditorView.theme({
  "&": {
    border: "1px solid var(--control-line)",
    borderRadius: "var(--radius-l)",
    background: "var(--paper)",
    color: "var(--ink)",
    fontSize: "var(--text-s)",
  },
  "&.cm-focused": { outline: "2px solid var(--copper)", outlineOffset: "-1px", borderColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--font-code)", lineHeight: "1.7" },
  ".cm-content": {
    minHeight: "calc(100dvh - 12rem)",
    padding: "var(--space-4) 0",
    caretColor: "var(--ink)",
  },
  ".cm-line": { padding: "0 var(--space-4) 0 var(--space-2)" },
  ".cm-gutters": {
    border: "0",
    borderRadius: "var(--radius-l) 0 0 var(--radius-l)",
    background: "var(--paper)",
    color: "var(--ink-3)",
    fontSize: "var(--text-xs)",
    fontVariantNumeric: "tabular-nums",
  },
  // Makes a line number as tall as the text beside it, whose font is larger.
  ".cm-lineNumbers .cm-gutterElement": {
    minWidth: "2.5rem",
    padding: "0 var(--space-2) 0 var(--space-2)",
    lineHeight: "calc(1.7 * var(--text-s))",
  },
  ".cm-activeLineGutter": { background: "none", color: "var(--ink)", fontWeight: "600" },
  ".cm-panels": { zIndex: "5", background: "var(--stone-2)", color: "var(--ink)" },
  ".cm-panels-top": {
    top: "var(--header)",
    border: "0",
    borderBottom: "1px solid var(--line)",
    borderRadius: "var(--radius-l) var(--radius-l) 0 0",
  },
  "@media (max-width: 40rem)": { ".cm-panels-top": { top: "0" } },
  ".cm-panel.cm-search": {
    padding: "var(--space-1) 2.25rem var(--space-1) var(--space-3)",
    fontFamily: "var(--font-text)",
    fontSize: "var(--text-s)",
    "& input, & button, & label": {
      margin: "var(--space-1) var(--space-2) var(--space-1) 0",
      verticalAlign: "middle",
    },
    "& label": { display: "inline-flex", alignItems: "center", gap: "0.3rem", fontSize: "var(--text-s)" },
    "& input[type=checkbox]": { margin: "0", accentColor: "var(--copper)" },
    // Hides the button that selects all matches, because the editor has only one selection.
    "& [name=select]": { display: "none" },
    "& [name=close]": {
      top: "var(--space-2)",
      right: "var(--space-2)",
      margin: "0",
      width: "1.75rem",
      height: "1.75rem",
      border: "0",
      borderRadius: "var(--radius-s)",
      color: "var(--ink-2)",
      fontSize: "1.1rem",
      cursor: "pointer",
    },
  },
  ".cm-panel .cm-textfield": { ...panelControl, width: "min(14rem, 45%)" },
  ".cm-panel .cm-button": {
    ...panelControl,
    borderColor: "var(--line-strong)",
    backgroundImage: "none",
    cursor: "pointer",
    "&:hover, &:active": { background: "var(--stone-3)" },
  },
  ".cm-searchMatch": { backgroundColor: "light-dark(#fdeebb, #4a3d12)", color: "inherit" },
  ".cm-searchMatch-selected": {
    backgroundColor: "light-dark(#ffd75e, #7a5d07)",
    color: "light-dark(#1f1d1a, #ffffff)",
  },
});

/** The colors of Markdown, as in the code blocks of the page. */
export const highlightStyle = HighlightStyle.define([
  { tag: tags.heading, color: "var(--copper-strong)", fontWeight: "650" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.monospace, color: "light-dark(#85480a, #e8b27a)" },
  { tag: [tags.link, tags.labelName], color: "var(--blue)" },
  { tag: [tags.url, tags.string], color: "light-dark(#2c6330, #93cf97)" },
  { tag: tags.quote, color: "var(--ink-2)", fontStyle: "italic" },
  { tag: [tags.atom, tags.character], color: "var(--violet)" },
  { tag: tags.escape, color: "var(--violet)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.processingInstruction, tags.contentSeparator], color: "var(--ink-3)" },
]);
