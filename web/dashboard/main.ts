import type { DashboardState } from "../../src/proxy/dashboard/api-types.ts";
import { type Filters, NO_FILTERS } from "../../src/render/dashboard/calls.ts";
import { type Connection, dashboard } from "../../src/render/dashboard/dashboard.ts";
import { writeClipboard } from "../shared/write-clipboard.ts";
import { baseUrl } from "./base-url.ts";
import { followProxy } from "./follow-proxy.ts";
import { askForKey } from "./key.ts";
import { patch } from "./patch.ts";
import "../shared/styles/tokens.css";
import "../shared/styles/base.css";
import "./dashboard.css";

const root = document.querySelector("#dashboard");
if (root instanceof HTMLElement) start(root);

function start(container: HTMLElement): void {
  let state: DashboardState | undefined;
  let filters: Filters = NO_FILTERS;
  let connection: Connection = "still";
  /** Milliseconds that the proxy's clock is ahead of this one. */
  let ahead = 0;
  const draw = () => {
    if (!state) return;
    const now = Date.now() + ahead;
    const view = { filters, base: baseUrl(location), isInteractive: true, connection };
    patch(container, dashboard({ ...state, now }, view).text);
  };
  container.addEventListener("change", ({ target }) => {
    filters = changed(filters, target);
    draw();
  });
  copyOnClick(container, document.querySelector("#status"));
  followProxy({
    onState(news) {
      ahead = news.now - Date.now();
      state = withNews(state, news);
      connection = "live";
      draw();
    },
    onLost() {
      connection = "lost";
      draw();
    },
    onLocked(wasWrong) {
      state = undefined;
      return askForKey(container, wasWrong);
    },
  });
  // Running calls grow older without anything new.
  setInterval(() => state && state.live.length > 0 && connection === "live" && draw(), 1_000);
}

function changed(filters: Filters, target: EventTarget | null): Filters {
  if (target instanceof HTMLSelectElement && (target.name === "upstream" || target.name === "model"))
    return { ...filters, [target.name]: target.value };
  if (target instanceof HTMLInputElement && target.name === "errors")
    return { ...filters, errorsOnly: target.checked };
  return filters;
}

const SHOWN_MS = 1_500;

/** Has every button with `data-copy` copy that text, and say so for a moment: on itself, and to `status` for who cannot see it. */
function copyOnClick(container: HTMLElement, status: Element | null): void {
  container.addEventListener("click", async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
    if (!button) return;
    const isCopied = await writeClipboard(button.dataset["copy"] ?? "");
    if (!isCopied) selectBeside(button);
    const outcome = isCopied ? "Copied" : "Press Ctrl+C";
    button.textContent = outcome;
    if (status) status.textContent = outcome;
    setTimeout(() => {
      button.textContent = "Copy";
      if (status) status.textContent = "";
    }, SHOWN_MS);
  });
}

/** For the person to copy. */
function selectBeside(button: HTMLElement): void {
  const code = button.parentElement?.querySelector("code");
  if (code) getSelection()?.selectAllChildren(code);
}

/** How many ended calls the page keeps. */
const MAX_CALLS = 200;

/** The latest state with the calls that are known already behind its new ones. A call that came twice is one. */
function withNews(known: DashboardState | undefined, news: DashboardState): DashboardState {
  // After a new start of the proxy, or a first event, nothing of before is of interest.
  if (!known || known.startedAt !== news.startedAt) return news;
  const calls = new Map([...news.calls, ...known.calls].map((call) => [call.id, call]));
  return { ...news, calls: [...calls.values()].slice(0, MAX_CALLS) };
}
