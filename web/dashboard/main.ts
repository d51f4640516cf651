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
  /** Milliseconds by which the proxy's clock is ahead of this one. */
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
  // Updates the duration of running calls between events.
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

/**
 * Handles buttons with `data-copy`: copies the text and shows the result on the button and in `status`, for screen
 * readers.
 */
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

/** Selects the code next to the button, so that the person can copy it. */
function selectBeside(button: HTMLElement): void {
  const code = button.parentElement?.querySelector("code");
  if (code) getSelection()?.selectAllChildren(code);
}

/** Maximum number of finished calls retained by the page. */
const MAX_CALLS = 200;

/** Returns the latest state with the known calls appended to its new ones, without duplicates. */
function withNews(known: DashboardState | undefined, news: DashboardState): DashboardState {
  // Calls from before a restart of the proxy are dropped.
  if (!known || known.startedAt !== news.startedAt) return news;
  const calls = new Map([...news.calls, ...known.calls].map((call) => [call.id, call]));
  return { ...news, calls: [...calls.values()].slice(0, MAX_CALLS) };
}
