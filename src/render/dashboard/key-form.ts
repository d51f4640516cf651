import { type Html, html } from "./html.ts";

/** Renders the form that asks for an API key. */
export function keyForm(): Html {
  return html`<header data-key="header"><h1>Sallyport proxy</h1></header>
<main class="locked"><form data-key="key-form"><h2>API key required</h2>
<p>This proxy requires an API key. <code>sallyport proxy keys</code> lists them.</p>
<label class="field" for="key"><span>Key</span>
<input class="input input-code" id="key" type="password" autocomplete="off" spellcheck="false" required aria-describedby="key-hint"></label>
<p class="secondary" id="key-hint">Stored in this tab until it is closed, and sent only to this proxy.</p>
<p class="error" role="alert" id="key-error"></p>
<button class="button button-primary" disabled>Open</button></form>
<noscript><p class="notice">Sending the key requires JavaScript, which is disabled in this browser.</p></noscript></main>`;
}
