import { liveStatus } from "../render/live/live-status.ts";
import { escaped } from "../render/markdown/markdown-html.ts";
import type { LiveAgent, ReviewSettings } from "./api-types.ts";

/** Content of a page before its scripts run. */
export interface FirstPaint {
  readonly title: string;
  readonly theme: ReviewSettings["theme"];
  /**
   * HTML that is shown instead of the page's own elements; the agent's state is inserted into its empty element
   * `banners`.
   */
  readonly html: string;
  /** The agent of a live review, whose state the page shows above the content. */
  readonly agent: LiveAgent | undefined;
}

/** Inserts prerendered content into the built page. */
export function withFirstPaint(page: string, { title, theme, html, agent }: FirstPaint): string {
  const colors = theme === "system" ? "" : ` data-theme="${theme}"`;
  return page
    .replace('<html lang="en">', () => `<html lang="en"${colors}>`)
    .replace("<title>Sallyport</title>", () => `<title>${escaped(title)}</title>`)
    .replace("<!--prerendered-->", () =>
      html.replace(/(class="banners">)(?=<\/)/, (opened) => opened + liveBannerHtml(agent)),
    );
}

/**
 * Renders the agent's state as the page shows it at first, so that nothing moves when the page takes over. Returns an
 * empty string without an agent.
 */
function liveBannerHtml(agent: LiveAgent | undefined): string {
  if (!agent) return "";
  const { text } = liveStatus(agent, { waiting: 0, lastSentAt: undefined });
  return `<div class="banner live-banner"><span>${escaped(text)}</span></div>`;
}
