import MarkdownIt from "markdown-it";
import footnote from "markdown-it-footnote";
import { htmlSubset } from "./html-subset.ts";

/**
 * CommonMark with GitHub's tables, strikethrough, autolinks and footnotes. Raw HTML is text, but for `<br>` and `<details>`. `text_join` is off so
 * that escapes and entities stay apart from the text around them, and their place in the source is known; GitHub has no
 * footnotes written inline (`^[text]`), whose text would be drawn far from its place.
 */
export const parser = new MarkdownIt("default", { html: false, linkify: true, typographer: false })
  .use(footnote)
  .use(htmlSubset)
  .disable(["text_join", "footnote_inline"]);
parser.validateLink = isSafeLink;
// The address is drawn as it was written; `encodeURI` would hide what it says.
parser.normalizeLinkText = (text) => text;

/** Only what a click on a page may open; the rest stays as the text it was. */
function isSafeLink(url: string): boolean {
  const address = url.trim().replace(/[\u0000-\u0020\u007f-\u009f]/g, "");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined || ["http", "https", "mailto"].includes(scheme)) return true;
  // A Windows path, or an image that the text carries itself.
  return scheme.length === 1 || /^data:image\/(png|jpeg|webp|gif);/i.test(address);
}
