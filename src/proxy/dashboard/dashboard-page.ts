import { createHash } from "node:crypto";
import { dashboard, type View } from "../../render/dashboard/dashboard.ts";
import { keyForm } from "../../render/dashboard/key-form.ts";
import type { DashboardState } from "./api-types.ts";

/** A page, and the policy that lets its own script and style in and nothing else. */
export interface DashboardPage {
  readonly html: string;
  readonly policy: string;
}

/** Where the built page leaves room for what it shows first. */
const ROOM = "<!--dashboard-->";

/** The dashboard with its figures in it, to be read without any script. */
export function filledPage(built: string, state: DashboardState, view: View): DashboardPage {
  return pageWith(built, dashboard(state, view).text);
}

/** The page for who has not shown a key: no figures, and a field for one. */
export function lockedPage(built: string): DashboardPage {
  return pageWith(built, keyForm().text);
}

function pageWith(built: string, content: string): DashboardPage {
  const at = built.indexOf(ROOM);
  const before = built.slice(0, at);
  const after = built.slice(at + ROOM.length);
  return { html: `${before}${content}${after}`, policy: policyOf(before, after) };
}

/** The style stands before what is shown, the script behind it: nothing in between can pass for either. */
function policyOf(before: string, after: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(/<script[^>]*>([\s\S]*?)<\/script>/.exec(after)?.[1])}`,
    `style-src ${hashOf(/<style[^>]*>([\s\S]*?)<\/style>/.exec(before)?.[1])}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** As a policy names a text that stands within the page. */
function hashOf(text: string | undefined): string {
  return text === undefined ? "'none'" : `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** The frame where the pages are not built: figures without looks. */
export const PLAIN_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Sallyport proxy</title></head>
<body><div id="dashboard">${ROOM}</div></body></html>
`;
