import { fileHtml } from "../../../render/diff/diff-html.ts";
import { scanPatch } from "../../../render/diff/patch/scan-patch.ts";
import type { Layout } from "../../../render/diff/row-model.ts";
import type { TabWidth } from "../../api-types.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";
import { loadHighlighter } from "./highlighter.ts";
import { shownFiles } from "./shown-files.ts";

/** Rows of code that fill a typical window. */
const MAX_ROWS = 80;
/** Maximum bytes of a patch that are parsed: usually more than `MAX_ROWS` rows. */
const PATCH_HEAD = 64 * 1024;

export interface RenderOptions {
  readonly layout: Layout;
  readonly wrap: boolean;
  readonly tabWidth: TabWidth;
}

/**
 * Renders the top of a diff as HTML, inside the elements that the page creates around it, so that nothing moves when
 * the page takes over.
 */
export async function renderDiff(snapshot: Snapshot, options: RenderOptions): Promise<string> {
  const highlight = await loadHighlighter();
  const sections: string[] = [];
  let rows = MAX_ROWS;
  for (const file of shownFiles(snapshot)) {
    if (/\.ipynb$/i.test(file.path) && !file.generated) {
      // The page shows a notebook by cells, whose height is not known yet.
      sections.push(fileHtml(file, undefined, { ...options, highlight, rows }).html);
      break;
    }
    const patch = file.generated ? undefined : scanPatch(await readHead(snapshot, file));
    const rendered = fileHtml(file, patch, { ...options, highlight, rows });
    sections.push(rendered.html);
    // A file header is about as high as two rows.
    rows -= rendered.rows + 2;
    if (rendered.isCut || rows <= 0) break;
  }
  return [
    '<div class="review prerendered" aria-busy="true"><header class="header"><p class="prerendered-notice" role="status">Comparing files …</p></header><div class="banners"></div>',
    '<div class="review-body"><nav class="tree"></nav><div class="review-main">',
    `<main class="diff" data-tab-width="${options.tabWidth}">`,
    ...sections,
    '</main></div></div><footer class="status-line">&nbsp;</footer></div>',
  ].join("");
}

/** Returns the start of a file's patch, cut after a complete line. */
async function readHead({ spool }: Snapshot, { section }: SnapshotFile): Promise<string> {
  const { offset, length } = section;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const piece of spool.read(offset, Math.min(length, PATCH_HEAD))) {
    text += decoder.decode(piece, { stream: true });
  }
  return length <= PATCH_HEAD ? text + decoder.decode() : text.slice(0, text.lastIndexOf("\n") + 1);
}
