import { lineText, type ParsedPatch } from "./parsed-patch.ts";
import { LONGEST_SHOWN_LINE } from "./segments.ts";

/** Pixels. The style sheet has the same numbers. */
export const LINE_HEIGHT = 20;
export const GAP_HEIGHT = 28;
export const NOTICE_HEIGHT = 48;
export const WIDGET_HEIGHT = 120;
export const FILE_HEADER_HEIGHT = 44;
export const FILE_MARGIN = 12;
export const TAB_SIZE = 4;

const UNUSUAL = /[^\n\r -~]/;
const UNCERTAIN = /[^\t\n\r -~]/;
const unusual = new WeakMap<ParsedPatch, boolean>();

/** True when only the browser knows how wide the text is. */
export const isUncertain = (text: string): boolean => UNCERTAIN.test(text);

/** True when some character of the patch may not be one column wide. */
function hasUnusual(patch: ParsedPatch): boolean {
  const known = unusual.get(patch) ?? UNUSUAL.test(patch.text);
  unusual.set(patch, known);
  return known;
}

/**
 * Tells in how many display lines a patch line is wrapped. The style sheet breaks lines at any character, so that
 * counting columns is exact wherever every character is one column wide.
 */
export function wrapCounter(patch: ParsedPatch, columns: number): (line: number) => number {
  const byLength = (length: number) => Math.max(1, Math.ceil(Math.min(length, LONGEST_SHOWN_LINE) / columns));
  if (!hasUnusual(patch)) {
    return (line) => byLength((patch.end[line] ?? 0) - (patch.start[line] ?? 0));
  }
  return (line) => {
    const length = (patch.end[line] ?? 0) - (patch.start[line] ?? 0);
    if (length * TAB_SIZE <= columns) return 1;
    return byLength(displayWidth(lineText(patch, line)));
  };
}

/** Columns a text takes: tabs up to the next stop, wide characters two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 9) width += TAB_SIZE - (width % TAB_SIZE);
    else width += code >= 0x1100 && isWide(code) ? 2 : 1;
  }
  return width;
}

function isWide(code: number): boolean {
  return (
    code <= 0x115f ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
