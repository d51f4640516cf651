import { createHash } from "node:crypto";
import { dashboard, type View } from "../../render/dashboard/dashboard.ts";
import { keyForm } from "../../render/dashboard/key-form.ts";
import type { DashboardState } from "./api-types.ts";

/** A page, and its content security policy, which allows only the page's own script and style. */
export interface DashboardPage {
  readonly html: string;
  readonly policy: string;
}

/** The comment in the built page that the prerendered content replaces. */
const ROOM = "<!--dashboard-->";

/** Returns the dashboard with prerendered figures, so that a browser without JavaScript shows them too. */
export function filledPage(built: string, state: DashboardState, view: View): DashboardPage {
  return pageWith(built, dashboard(state, view).text);
}

/** Returns the page for requests that have no key or come from another origin: a form for the key, without figures. */
export function lockedPage(built: string): DashboardPage {
  return pageWith(built, keyForm().text);
}

function pageWith(built: string, content: string): DashboardPage {
  const at = built.indexOf(ROOM);
  const before = built.slice(0, at);
  const after = built.slice(at + ROOM.length);
  return { html: `${before}${content}${after}`, policy: createPolicy(before, after) };
}

/**
 * Returns the policy of a page. It allows, by their hashes, the style before the prerendered content and the script
 * after it, and therefore no style or script inside this content (XSS).
 */
function createPolicy(before: string, after: string): string {
  return [
    "default-src 'none'",
    `script-src ${toHashSource(/<script[^>]*>([\s\S]*?)<\/script>/.exec(after)?.[1])}`,
    `style-src ${toHashSource(/<style[^>]*>([\s\S]*?)<\/style>/.exec(before)?.[1])}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Returns the hash of an inline script or style as a source of the policy; `'none'` if there is no such element. */
function toHashSource(text: string | undefined): string {
  return text === undefined ? "'none'" : `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** The page that is served if the web pages are not built. It shows the same figures without styles. */
export const PLAIN_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Sallyport proxy</title></head>
<body><div id="dashboard">${ROOM}</div></body></html>
`;
