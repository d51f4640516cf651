import type { Runtime } from "../runtime.ts";

/** What a person sees who opens the proxy in a browser. */
export function homePage(runtime: Runtime, host = "localhost"): string {
  const names = [...runtime.config.upstreams.values()].map(({ name, dialect }) => `${name} (${dialect})`);
  const base = escapeHtml(`http://${host}`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sallyport proxy</title>
<body><h1>Sallyport proxy</h1><p>It is running. Upstreams: ${escapeHtml(names.join(", "))}.</p>
<p>Base URLs: <code>${base}</code> for Anthropic and Google clients, <code>${base}/v1</code> for OpenAI clients.</p></body></html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
