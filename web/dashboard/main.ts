// This module is imported first, because uPlot reads the language while it loads.
import "./valid-language.ts";
import { dashboard } from "../../src/render/dashboard/dashboard.ts";
import { startApp } from "./app.tsx";
import { showCurrent } from "./live/show-current.ts";
import { signIn } from "./sign-in.ts";
import "../shared/styles/tokens.css";
import "../shared/styles/base.css";
import "../shared/styles/components.css";
import "../shared/styles/overlays.css";
import "uplot/dist/uPlot.min.css";
import "./dashboard.css";
import "./views.css";

const root = document.querySelector("#dashboard");
if (root instanceof HTMLElement) start(root);

/** Shows the current calls if no key is needed, or otherwise the form that asks for a key. */
function start(container: HTMLElement): void {
  if (container.querySelector("form")) void enter(container);
  else showOpenPage(container);
}

/** Shows the current calls of a proxy without keys, and a button to sign in. */
function showOpenPage(container: HTMLElement): void {
  const aborter = new AbortController();
  const leave = (isOptional: boolean) => {
    aborter.abort();
    void enter(container, { isOptional });
  };
  showCurrent(container, {
    secret: undefined,
    render: dashboard,
    onLocked: () => leave(false),
    signal: aborter.signal,
  });
  const onClick = ({ target }: Event) => {
    if (target instanceof Element && target.closest("[data-action=sign-in]")) leave(true);
  };
  container.addEventListener("click", onClick, { signal: aborter.signal });
}

/** Asks for a key and shows its dashboard until the person signs out, then asks again. */
async function enter(container: HTMLElement, options: { message?: string; isOptional?: boolean } = {}) {
  let message = options.message ?? "";
  for (;;) {
    const signedIn = await signIn(container, { ...options, message });
    message = await startApp(container, signedIn);
  }
}
