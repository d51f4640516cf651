import { type Html, html } from "./html.ts";

/** What is shown in place of the dashboard to who has not shown a key. */
export function keyForm(): Html {
  return html`<header data-key="header"><h1>Sallyport proxy</h1></header>
<main class="locked"><form data-key="key-form"><h2>API key required</h2>
<p>This proxy answers only to one of its keys. <code>sallyport proxy keys</code> lists them.</p>
<label class="field" for="key"><span>Key</span>
<input class="input input-code" id="key" type="password" autocomplete="off" spellcheck="false" required aria-describedby="key-hint"></label>
<p class="secondary" id="key-hint">Kept in this tab until it is closed, and sent to this proxy alone.</p>
<p class="error" role="alert" id="key-error"></p>
<button class="button button-primary" disabled>Open</button></form>
<noscript><p class="notice">The key is sent by a script, and scripts are switched off here.</p></noscript></main>`;
}
