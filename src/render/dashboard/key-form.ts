import { type Html, html } from "./html.ts";

/** Renders the form that asks for an API key. */
export function keyForm(): Html {
  return html`<header data-key="sign-in-header"><h1>Sallyport proxy</h1></header>
<main class="locked" data-key="sign-in"><form data-key="key-form"><h2>Sign in</h2>
<p>An admin key shows everything, any other key its own calls and limits. If the proxy has a database, its first start stored an admin key in <code>proxy/admin-key</code> in the data directory.</p>
<label class="field" for="key"><span>Key</span>
<input class="input input-code" id="key" name="key" type="password" autocomplete="current-password" spellcheck="false" required aria-describedby="key-hint"></label>
<p class="secondary" id="key-hint">Kept in this page's memory until you leave or reload it, and sent only to this proxy.</p>
<p class="error" role="alert" id="key-error"></p>
<p class="buttons"><button class="button button-primary" disabled>Sign in</button> <button type="button" class="button" data-action="cancel" hidden>Cancel</button></p></form>
<noscript><p class="notice">Sending the key requires JavaScript, which is disabled in this browser.</p></noscript></main>`;
}
