import { createHash } from "node:crypto";
import { dashboard, type View } from "../../render/dashboard/dashboard.ts";
import { keyForm } from "../../render/dashboard/key-form.ts";
import type { DashboardState } from "./api-types.ts";

/** A page and its content security policy, which allows only the page's own script and style. */
export interface DashboardPage {
  readonly html: string;
  readonly policy: string;
}

/** Marks where the built page takes the prerendered content. */
const ROOM = "<!--dashboard-->";

/** Returns the dashboard with its figures prerendered; it can be read without a script. */
export function filledPage(built: string, state: DashboardState, view: View): DashboardPage {
  return pageWith(built, dashboard(state, view).text);
}

/** Returns the page for a person without a key: no figures, and a form that asks for the key. */
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
 * Returns the policy of a page. The style is read from the part before the content and the script from the part after
 * it, so that content cannot be mistaken for either (XSS).
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

/** Returns the hash of an inline script or style as a policy source. */
function toHashSource(text: string | undefined): string {
  return text === undefined ? "'none'" : `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Fallback if the web pages are not built: shows the same figures without styles. */
export const PLAIN_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Sallyport proxy</title></head>
<body><div id="dashboard">${ROOM}</div></body></html>
`;
