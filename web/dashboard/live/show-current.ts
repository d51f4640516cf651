import type { DashboardState } from "../../../src/proxy/dashboard/api-types.ts";
import { type Filters, NO_FILTERS } from "../../../src/render/dashboard/calls.ts";
import type { Connection, View } from "../../../src/render/dashboard/dashboard.ts";
import type { Html } from "../../../src/render/dashboard/html.ts";
import { writeClipboard } from "../../shared/write-clipboard.ts";
import { baseUrl } from "../data/base-url.ts";
import { followProxy } from "./follow-proxy.ts";
import { patch } from "./patch.ts";

interface CurrentOptions {
  /** The key to send, if one is needed. */
  readonly secret: string | undefined;
  readonly render: (state: DashboardState, view: View) => Html;
  /** Called when the proxy requires another key. Updates stop afterward. */
  readonly onLocked: () => void;
  readonly signal: AbortSignal;
}

/** The notices that are shown until the state is known. */
const LOADING = '<p class="loading" role="status">Loading the current calls…</p>';
const UNREACHABLE =
  '<p class="notice notice-error" role="alert"><span><strong>Cannot load the current calls.</strong> The proxy cannot be reached. Check that it runs.</span></p>';

/**
 * Keeps `container` up to date with the proxy's current state until the signal is aborted or the proxy requires another
 * key.
 */
export function showCurrent(
  container: HTMLElement,
  { secret, render, onLocked, signal }: CurrentOptions,
): void {
  let state: DashboardState | undefined;
  let filters: Filters = NO_FILTERS;
  let connection: Connection = "still";
  /** Milliseconds by which the proxy's clock is ahead of the browser's. */
  let ahead = 0;
  const isBlank = container.childElementCount === 0;
  const draw = () => {
    if (signal.aborted) return;
    if (!state) {
      if (isBlank) patch(container, connection === "lost" ? UNREACHABLE : LOADING);
      return;
    }
    const now = Date.now() + ahead;
    const view = { filters, base: baseUrl(location), isInteractive: true, connection };
    patch(container, render({ ...state, now }, view).text);
  };
  const listen = { signal };
  container.addEventListener(
    "change",
    ({ target }) => {
      filters = changed(filters, target);
      draw();
    },
    listen,
  );
  draw();
  copyOnClick(container, document.querySelector("#status"), signal);
  void followProxy(
    {
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
      onLocked,
    },
    secret,
    signal,
  );
  // Updates the duration of running calls between events.
  const timer = setInterval(() => state && state.live.length > 0 && connection === "live" && draw(), 1_000);
  signal.addEventListener("abort", () => clearInterval(timer));
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
function copyOnClick(container: HTMLElement, status: Element | null, signal: AbortSignal): void {
  const onClick = async ({ target }: Event) => {
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
  };
  container.addEventListener("click", onClick, { signal });
}

/** Selects the code next to the button, so that the person can copy it. */
function selectBeside(button: HTMLElement): void {
  const code = button.parentElement?.querySelector("code");
  if (code) getSelection()?.selectAllChildren(code);
}

/** Maximum number of finished calls retained by the page. */
const MAX_CALLS = 200;

/** Returns the latest state with the known calls appended to its own calls: up to `MAX_CALLS`, without duplicates. */
function withNews(known: DashboardState | undefined, news: DashboardState): DashboardState {
  // Known calls are dropped if the proxy was restarted.
  if (!known || known.startedAt !== news.startedAt) return news;
  const calls = new Map([...news.calls, ...known.calls].map((call) => [call.id, call]));
  return { ...news, calls: [...calls.values()].slice(0, MAX_CALLS) };
}
