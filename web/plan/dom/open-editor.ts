/**
 * The functions of the open Markdown editor that read and set the reading position. Lines are counted from 1.
 */
export interface OpenEditor {
  /**
   * Returns the line at the top of the window: 1 while the beginning of the text is visible, and the caret's line while
   * the preview replaces the editor.
   */
  readonly lineAtTop: () => number;
  /** Scrolls a line to the top of the window. */
  readonly goToLine: (line: number) => void;
}

let open: OpenEditor | undefined;

/** Returns the open editor; undefined while the plan is edited in a text area or is not edited. */
export const getOpenEditor = (): OpenEditor | undefined => open;

/** Sets or clears the open editor. */
export function setOpenEditor(editor: OpenEditor | undefined): void {
  open = editor;
}
