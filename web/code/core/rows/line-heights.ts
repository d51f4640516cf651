import { endsInReturn, lineText, type ParsedPatch } from "../../../../src/render/diff/patch/parsed-patch.ts";
import { MAX_SHOWN_LINE, shownLength } from "../../../../src/render/diff/text/segments.ts";
import { findDeceptions } from "../../../../src/render/markdown/deceptive.ts";

/**
 * Heights in pixels. Those of notices, widgets and blocks of notebooks apply until they are measured; the others are
 * those of the style sheet.
 */
export const LINE_HEIGHT = 20;
export const GAP_HEIGHT = 28;
export const BLOCK_HEIGHT = 32;
export const NOTICE_HEIGHT = 48;
export const WIDGET_HEIGHT = 120;
export const FILE_HEADER_HEIGHT = 44;
export const FILE_MARGIN = 12;

const UNUSUAL = /[^\n\r -~]/;
const UNCERTAIN = /[^\t\n\r -~]/;
const patchWidths = new WeakMap<ParsedPatch, LineWidths>();
const textWidths = new WeakMap<readonly string[], LineWidths>();

/** The width in columns of each line, for one tab width. */
interface LineWidths {
  readonly tabWidth: number;
  readonly columns: Uint16Array;
}

/**
 * Returns whether only the browser can measure a text: it has characters other than printable ASCII and tabs, or it is
 * shortened and ends in a button.
 */
export const isUncertain = (text: string): boolean => text.length > MAX_SHOWN_LINE || UNCERTAIN.test(text);

/** The number of columns of a line on screen, and the number between two tab stops. */
export interface LineSpace {
  readonly columns: number;
  readonly tabWidth: number;
}

/**
 * Returns a function that counts the display lines of a wrapped patch line. The style sheet breaks lines at any
 * character, so the count is exact if every character is one column wide.
 */
export function wrapCounter(patch: ParsedPatch, { columns, tabWidth }: LineSpace): (line: number) => number {
  const widths = widthsOf(patchWidths, patch, tabWidth, measureLineWidths);
  return (line) => rowsFor(widths[line] ?? 0, columns);
}

/** Returns a function like that of `wrapCounter` for the lines of a whole text, by index from 0. */
export function textWrapCounter(
  text: readonly string[],
  { columns, tabWidth }: LineSpace,
): (index: number) => number {
  const widths = widthsOf(textWidths, text, tabWidth, (lines) =>
    Uint16Array.from(lines, (line) => shownWidth(line, tabWidth)),
  );
  return (index) => rowsFor(widths[index] ?? 0, columns);
}

/**
 * Returns the widths of lines. They are cached, because heights are computed again whenever a measured height
 * differs.
 */
function widthsOf<Lines extends object>(
  cache: WeakMap<Lines, LineWidths>,
  lines: Lines,
  tabWidth: number,
  measure: (lines: Lines, tabWidth: number) => Uint16Array,
): Uint16Array {
  const known = cache.get(lines);
  if (known?.tabWidth === tabWidth) return known.columns;
  const columns = measure(lines, tabWidth);
  cache.set(lines, { tabWidth, columns });
  return columns;
}

const rowsFor = (width: number, columns: number) => Math.max(1, Math.ceil(width / columns));

function measureLineWidths(patch: ParsedPatch, tabWidth: number): Uint16Array {
  const isPlain = !UNUSUAL.test(patch.text);
  const widths = new Uint16Array(patch.lineCount);
  for (let line = 0; line < patch.lineCount; line++) {
    if (!isPlain) widths[line] = shownWidth(lineText(patch, line), tabWidth);
    else {
      const length = (patch.end[line] ?? 0) - (patch.start[line] ?? 0) - (endsInReturn(patch, line) ? 1 : 0);
      widths[line] = Math.min(length, MAX_SHOWN_LINE);
    }
  }
  return widths;
}

/** Maximum columns of the label of a hidden character. */
const NAME_WIDTH = 8;

function shownWidth(full: string, tabWidth: number): number {
  const text = full.slice(0, shownLength(full));
  const named = UNCERTAIN.test(text) ? findDeceptions(text, "none").length : 0;
  return displayWidth(text, tabWidth) + named * NAME_WIDTH;
}

/** Returns the columns of a text. Tabs extend to the next tab stop, and wide characters take two columns. */
export function displayWidth(text: string, tabWidth: number): number {
  let width = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x1100) width += unit === 9 ? tabWidth - (width % tabWidth) : 1;
    else {
      const code = text.codePointAt(at) ?? 0;
      if (code > 0xffff) at++;
      width += isWide(code) ? 2 : 1;
    }
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
