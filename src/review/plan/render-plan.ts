import { markdownHtml } from "../../render/markdown/markdown-html.ts";
import { parseMarkdown } from "../../render/markdown/parse/parse-markdown.ts";

/**
 * Renders the plan as HTML, inside the elements that the page creates around it, so that nothing moves when the page
 * takes over.
 */
export function renderPlan(plan: string): string {
  return [
    '<div class="page"><header class="header"></header><section class="banners"></section><div class="columns"><nav class="contents"></nav>',
    '<main class="main" aria-busy="true"><div class="sheet"><div class="plan">',
    markdownHtml(parseMarkdown(plan)),
    '</div></div></main><aside class="sidebar"></aside></div></div>',
  ].join("");
}
