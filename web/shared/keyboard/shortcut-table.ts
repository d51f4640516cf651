import type { KeyName } from "./keys.ts";
import type { Shortcut } from "./shortcuts.ts";
import type { KeyKind } from "./typing-burst.ts";

interface TableEntry {
  readonly group: string;
  readonly keys: readonly KeyName[];
  readonly label: string;
  readonly kind?: KeyKind;
  readonly whileTyping?: true;
}

const MOVE = "Move";
const COMMENT = "Comment on the selection, line or block";
const COMMENTS = "Comments";
const SHOW = "Show";
const DECIDE = "Decide";

/**
 * All shortcuts of both review pages, in the order of the sheet. Each page implements a subset. A single table gives a
 * key the same meaning on both pages.
 */
export const shortcutTable = {
  next: { group: MOVE, keys: ["j"], label: "Next line or block", kind: "move" },
  previous: { group: MOVE, keys: ["k"], label: "Previous line or block", kind: "move" },
  nextChange: { group: MOVE, keys: ["n"], label: "Next change", kind: "move" },
  previousChange: { group: MOVE, keys: ["p"], label: "Previous change", kind: "move" },
  nextComment: { group: MOVE, keys: ["N"], label: "Next comment or thread", kind: "move" },
  previousComment: { group: MOVE, keys: ["P"], label: "Previous comment or thread", kind: "move" },
  nextFile: { group: MOVE, keys: ["]"], label: "Next file", kind: "move" },
  previousFile: { group: MOVE, keys: ["["], label: "Previous file", kind: "move" },
  nextCommit: { group: MOVE, keys: ["}"], label: "Next commit", kind: "move" },
  previousCommit: { group: MOVE, keys: ["{"], label: "Previous commit", kind: "move" },
  nextLine: { group: MOVE, keys: ["ArrowDown"], label: "Next line", kind: "move" },
  previousLine: { group: MOVE, keys: ["ArrowUp"], label: "Previous line", kind: "move" },
  otherEnd: { group: MOVE, keys: ["G"], label: "Other end of a moved line", kind: "move" },
  oldSide: { group: MOVE, keys: ["ArrowLeft"], label: "Old side", kind: "move" },
  newSide: { group: MOVE, keys: ["ArrowRight"], label: "New side", kind: "move" },
  extendDown: {
    group: MOVE,
    keys: ["J", "Shift+ArrowDown"],
    label: "Extend the selection down",
    kind: "move",
  },
  extendUp: { group: MOVE, keys: ["K", "Shift+ArrowUp"], label: "Extend the selection up", kind: "move" },
  start: { group: MOVE, keys: ["Home"], label: "Start of the diff", kind: "move" },
  end: { group: MOVE, keys: ["End"], label: "End of the diff", kind: "move" },
  pageDown: { group: MOVE, keys: ["PageDown", "Space"], label: "Page down", kind: "move" },
  pageUp: { group: MOVE, keys: ["PageUp", "Shift+Space"], label: "Page up", kind: "move" },
  clear: { group: MOVE, keys: ["Escape"], label: "Clear selection", kind: "move" },

  comment: { group: COMMENT, keys: ["c"], label: "Comment", kind: "write" },
  replace: { group: COMMENT, keys: ["r"], label: "Suggest a change", kind: "write" },
  insert: { group: COMMENT, keys: ["i"], label: "Insert after", kind: "write" },
  delete: { group: COMMENT, keys: ["d"], label: "Mark for removal" },
  concern: { group: COMMENT, keys: ["!"], label: "Raise a concern", kind: "write" },
  label: { group: COMMENT, keys: ["l"], label: "Quick label" },
  file: { group: COMMENT, keys: ["f"], label: "Comment on the file", kind: "write" },
  ask: { group: COMMENT, keys: ["q"], label: "Ask a model (if configured)", kind: "dialog" },
  general: { group: COMMENT, keys: ["g"], label: "General comment", kind: "write" },

  edit: { group: COMMENTS, keys: ["e"], label: "Edit comment" },
  remove: { group: COMMENTS, keys: ["Backspace", "Delete"], label: "Delete comment" },
  undo: { group: COMMENTS, keys: ["u", "Mod+z"], label: "Undo" },
  respond: { group: COMMENTS, keys: ["y"], label: "Reply to the thread", kind: "write" },
  resolve: { group: COMMENTS, keys: ["D"], label: "Resolve or reopen the thread, dismiss the finding" },
  accept: { group: COMMENTS, keys: ["T"], label: "Accept the finding" },
  save: { group: COMMENTS, keys: ["Mod+Enter"], label: "Save comment" },
  kinds: { group: COMMENTS, keys: ["Alt+1"], label: "Comment type, while writing: Alt+1, Alt+2, …" },

  plan: { group: SHOW, keys: ["1"], label: "Plan" },
  source: { group: SHOW, keys: ["s"], label: "Toggle source" },
  changes: { group: SHOW, keys: ["v"], label: "Changes since the last round" },
  editPlan: { group: SHOW, keys: ["E"], label: "Edit the plan" },
  fold: { group: SHOW, keys: ["o", "Enter"], label: "Fold or unfold the file" },
  mechanical: { group: SHOW, keys: ["O"], label: "Fold or unfold mechanical changes" },
  preview: {
    group: SHOW,
    keys: ["V"],
    label: "Preview of the file (Markdown, SVG)",
    kind: "dialog",
  },
  expand: { group: SHOW, keys: ["+"], label: "Show more lines around the cursor" },
  layout: { group: SHOW, keys: ["h"], label: "Side by side or unified" },
  whitespace: { group: SHOW, keys: ["w"], label: "Toggle whitespace changes" },
  wrap: { group: SHOW, keys: ["z"], label: "Toggle line wrap" },
  tree: { group: SHOW, keys: ["b"], label: "File tree" },
  sidebar: { group: SHOW, keys: ["."], label: "Show or hide comments" },
  symbols: { group: SHOW, keys: ["S"], label: "Changed functions and types" },
  filter: { group: SHOW, keys: ["t"], label: "Filter the files", kind: "search" },
  refresh: { group: SHOW, keys: ["R"], label: "Refresh the diff" },
  find: { group: SHOW, keys: ["/", "Mod+f"], label: "Find in all files", kind: "write" },
  nextMatch: { group: SHOW, keys: ["F3"], label: "Next match", kind: "move" },
  previousMatch: { group: SHOW, keys: ["Shift+F3"], label: "Previous match", kind: "move" },
  print: { group: SHOW, keys: ["Mod+p"], label: "Print", whileTyping: true },
  palette: { group: SHOW, keys: ["Mod+k"], label: "Search files, headings and commands", whileTyping: true },

  viewed: { group: DECIDE, keys: ["m"], label: "Toggle viewed" },
  viewedNext: { group: DECIDE, keys: ["M"], label: "Mark viewed, next unviewed file" },
  approve: { group: DECIDE, keys: ["a"], label: "Approve …", kind: "dialog" },
  send: {
    group: DECIDE,
    keys: ["x", "Mod+Shift+Enter"],
    label: "Request changes or send feedback …",
    kind: "dialog",
    whileTyping: true,
  },
  help: { group: DECIDE, keys: ["?"], label: "Keyboard shortcuts" },
} as const satisfies Readonly<Record<string, TableEntry>>;

export type ActionName = keyof typeof shortcutTable;

/** Returns the shortcuts that a page implements, in the order of the table. */
export function listShortcuts(
  actions: Readonly<Partial<Record<ActionName, () => void>>>,
): readonly Shortcut[] {
  const names = Object.keys(shortcutTable) as ActionName[];
  return names.flatMap((name) => {
    const run = actions[name];
    return run ? [{ ...shortcutTable[name], run }] : [];
  });
}

/** Returns the key of an action as displayed next to its button. */
export function getShortcutKey(action: ActionName): KeyName {
  return shortcutTable[action].keys[0];
}
