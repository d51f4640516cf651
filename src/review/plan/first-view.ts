import { escaped, markdownHtml } from "../../../web/shared/markdown/markdown-html.ts";
import { parseMarkdown } from "../../../web/shared/markdown/parse-markdown.ts";
import type { ReviewSettings } from "../api-types.ts";

/** What the page shows before any script of it has run. */
export interface FirstView {
  readonly title: string;
  readonly theme: ReviewSettings["theme"];
  /** What stands in for the page's own elements. */
  readonly html: string;
}

/** Puts the first view into the built page. */
export function withFirstView(page: string, { title, theme, html }: FirstView): string {
  const colours = theme === "system" ? "" : ` data-theme="${theme}"`;
  return page
    .replace('<html lang="en">', () => `<html lang="en"${colours}>`)
    .replace("<title>Sallyport</title>", () => `<title>${escaped(title)}: plan review</title>`)
    .replace("<!--first-view-->", () => html);
}

/** The plan among the elements that the page has around it, so that nothing moves when the page takes over. */
export function drawPlan(plan: string): string {
  return [
    '<div class="page"><header class="header"></header><div class="columns"><nav class="contents"></nav>',
    '<main class="main" aria-busy="true"><div class="sheet"><div class="plan">',
    markdownHtml(parseMarkdown(plan)),
    '</div></div></main><aside class="rail"></aside></div></div>',
  ].join("");
}
