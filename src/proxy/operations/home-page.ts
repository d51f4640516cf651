import type { Runtime } from "../runtime.ts";

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:44rem;margin:4rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1rem;margin:2rem 0 .5rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.375rem .75rem .375rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)}
code{font:.9em ui-monospace,monospace}`;

/** The page is its own text and style, and nothing else. */
export const HOME_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

/** What a person sees who opens the proxy in a browser: that it runs, what to point clients at, where calls go. */
export function homePage(runtime: Runtime, host = "localhost"): string {
  const base = `http://${host}`;
  const clients = [
    ["Claude Code, Anthropic SDKs", base],
    ["OpenAI SDKs", `${base}/v1`],
    ["Gemini CLI, Google SDKs", base],
  ];
  const upstreams = [...runtime.config.upstreams.values()].map(({ name, dialect }) => [name, dialect]);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Sallyport proxy</title><style>${STYLE}</style></head>
<body><main><h1>Sallyport proxy</h1><p>It is running.</p>
${table("Base URLs", ["client", "base URL"], clients)}
${table("Upstreams", ["name", "speaks"], upstreams)}
<p><a href="/metrics">Metrics</a> · <a href="/readyz">Readiness</a> · <a href="/v1/models">Models</a></p>
</main></body></html>
`;
}

function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join("");
  const body = rows.map(([name = "", value = ""]) => row(name, value)).join("\n");
  return `<h2>${escapeHtml(title)}</h2><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function row(name: string, value: string): string {
  return `<tr><td>${escapeHtml(name)}</td><td><code>${escapeHtml(value)}</code></td></tr>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
