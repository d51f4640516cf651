import type { DiffFile } from "../../review/api-types.ts";
import { classNames } from "../class-names.ts";
import { withDeceptionsShown } from "../markdown/deceptive.ts";
import { escaped } from "../markdown/markdown-html.ts";
import { modeChange } from "./patch/mode-change.ts";
import {
  findHunk,
  hunkText,
  LINE_ADDED,
  LINE_REMOVED,
  lineNumber,
  lineText,
  type ParsedPatch,
  type Side,
} from "./patch/parsed-patch.ts";
import { splitPath } from "./patch/shown-path.ts";
import { STATUS_LETTERS } from "./patch/status-letters.ts";
import { buildRows, type Layout, ROW_GAP, ROW_LINE } from "./row-model.ts";
import { detectLanguage } from "./text/language.ts";
import { shownLength, splitSegments } from "./text/segments.ts";
import { TOKEN_CLASSES } from "./text/token-types.ts";
import { indexTokens, type Tokens } from "./text/tokens.ts";
import { wordChangesOn } from "./text/word-diff.ts";

/** Returns records as in `tokens.ts`; undefined for plain text and for an unknown language. */
type Highlight = (text: string, language: string) => Uint32Array | undefined;

export interface FileHtmlOptions {
  readonly layout: Layout;
  readonly wrap: boolean;
  readonly highlight: Highlight;
  /** The maximum number of rows. */
  readonly rows: number;
}

/** The prerendered section of a file, and its number of rows. */
export interface FileHtml {
  readonly html: string;
  readonly rows: number;
  /** Whether the height of what follows is unknown: the file continues, or has a notice. */
  readonly isCut: boolean;
}

/**
 * Renders the top of a file as `FileSection` first draws it, so that a server can insert it into a page
 * before any script runs. All text of the patch is escaped. Without a patch, only the header is rendered.
 */
export function fileHtml(file: DiffFile, patch: ParsedPatch | undefined, options: FileHtmlOptions): FileHtml {
  if (!patch) return { html: section(file, ""), rows: 0, isCut: false };
  if (patch.hunks.length === 0) return { html: section(file, ""), rows: 0, isCut: true };
  const model = buildRows(patch, {
    layout: options.layout,
    expansions: new Map(),
    complete: file.status === "added" || file.status === "deleted",
  });
  const pen = new Pen(file, patch, options);
  const count = Math.min(model.count, options.rows);
  let rows = "";
  for (let row = 0; row < count; row++) {
    const [left, right] = [model.left[row] ?? -1, model.right[row] ?? -1];
    if (model.kind[row] === ROW_LINE) rows += pen.row(left, right);
    else if (model.kind[row] === ROW_GAP) rows += GAP;
  }
  const table = `<div class="${options.wrap ? "rows wrap" : "rows"}">${rows}</div>`;
  return { html: section(file, table), rows: count, isCut: count < model.count };
}

function section(file: DiffFile, rows: string): string {
  const { folder, name } = splitPath(file.path);
  const renamed = file.oldPath !== undefined && file.oldPath !== file.path;
  const mode = modeChange(file);
  return [
    `<section class="file"><header class="file-header"><span class="file-fold"></span>`,
    `<abbr class="status-letter status-${file.status}">${STATUS_LETTERS[file.status]}</abbr><h2 class="file-path">`,
    renamed ? `<span class="file-old">${escaped(withDeceptionsShown(file.oldPath ?? ""))} → </span>` : "",
    `<span class="file-folder">${escaped(folder)}</span>`,
    `<bdi class="file-name">${escaped(name)}</bdi></h2>`,
    file.additions + file.deletions === 0
      ? ""
      : `<span class="counts"><span class="count-added">+${file.additions}</span> <span class="count-removed">−${file.deletions}</span></span>`,
    mode === undefined ? "" : `<span class="badge">${mode}</span>`,
    `</header>${rows}</section>`,
  ].join("");
}

/** An empty row; the page adds its buttons and heading. */
const GAP = `<div class="row gap-row"></div>`;

/** Renders the rows of one file. */
class Pen {
  private readonly patch: ParsedPatch;
  private readonly language: string;
  private readonly options: FileHtmlOptions;
  private readonly tokens = new Map<string, Tokens | undefined>();

  constructor({ path }: DiffFile, patch: ParsedPatch, options: FileHtmlOptions) {
    this.patch = patch;
    this.language = detectLanguage(path);
    this.options = options;
  }

  /** Renders a row; `left` and `right` as in `RowModel`. */
  row(left: number, right: number): string {
    if (this.options.layout === "split") {
      return `<div class="row split">${this.cells(left, "old")}${this.cells(right, "new")}</div>`;
    }
    const [line, side]: [number, Side] = right < 0 ? [left, "old"] : [right, "new"];
    const kind = this.kind(line);
    const numbers = this.number(left, "old", kind) + this.number(right, "new", kind);
    return `<div class="row unified">${numbers}${this.code(line, side, kind)}</div>`;
  }

  private cells(line: number, side: Side): string {
    const kind = this.kind(line);
    return this.number(line, side, kind) + this.code(line, side, kind);
  }

  private kind(line: number): string {
    if (line < 0) return "none";
    const kind = this.patch.kind[line];
    return kind === LINE_ADDED ? "added" : kind === LINE_REMOVED ? "removed" : "context";
  }

  private number(line: number, side: Side, kind: string): string {
    const number = line < 0 ? 0 : lineNumber(this.patch, line, side);
    return `<span class="num ${kind}" data-side="${side}">${number || ""}</span>`;
  }

  private code(line: number, side: Side, kind: string): string {
    const text = line < 0 ? "" : `<span class="code-text">${this.text(line, side)}</span>`;
    return `<span class="code ${kind}" data-side="${side}">${text}</span>`;
  }

  private text(line: number, side: Side): string {
    const full = lineText(this.patch, line);
    const text = full.slice(0, shownLength(full));
    const hunk = findHunk(this.patch, line);
    const { oldStart = 1, newStart = 1 } = this.patch.hunks[hunk] ?? {};
    const segments = splitSegments(text, {
      tokens: this.getTokens(hunk, side),
      tokenLine: lineNumber(this.patch, line, side) - (side === "old" ? oldStart : newStart),
      changed: text === full ? wordChangesOn(this.patch, line, side) : [],
      found: [],
    });
    return segments
      .map(({ text: run, type, changed, deception }) => {
        const name = classNames(TOKEN_CLASSES[type], changed && "word", deception && "deceptive");
        const shown = deception ? ` data-shown="${escaped(deception.shown)}"` : "";
        return name === "" ? escaped(run) : `<span class="${name}"${shown}>${escaped(run)}</span>`;
      })
      .join("");
  }

  private getTokens(hunk: number, side: Side): Tokens | undefined {
    const key = `${hunk}${side}`;
    if (this.tokens.has(key)) return this.tokens.get(key);
    const records = this.options.highlight(hunkText(this.patch, hunk, side), this.language);
    const tokens = records && indexTokens(records);
    this.tokens.set(key, tokens);
    return tokens;
  }
}
