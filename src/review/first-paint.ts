import { escaped } from "../render/markdown/markdown-html.ts";
import type { ReviewSettings } from "./api-types.ts";

/** Content of a page before its scripts run. */
export interface FirstPaint {
  readonly title: string;
  readonly theme: ReviewSettings["theme"];
  /** HTML that is shown in place of the page's own elements. */
  readonly html: string;
}

/** Inserts prerendered content into the built page. */
export function withFirstPaint(page: string, { title, theme, html }: FirstPaint): string {
  const colors = theme === "system" ? "" : ` data-theme="${theme}"`;
  return page
    .replace('<html lang="en">', () => `<html lang="en"${colors}>`)
    .replace("<title>Sallyport</title>", () => `<title>${escaped(title)}</title>`)
    .replace("<!--prerendered-->", () => html);
}
