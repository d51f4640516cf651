import "../shared/styles/tokens.css";
import "../shared/styles/base.css";
import "./dashboard.css";
import type { DashboardState } from "../../src/proxy/dashboard/api-types.ts";
import { type Filters, NO_FILTERS } from "../../src/render/dashboard/calls.ts";
import { type Connection, dashboard } from "../../src/render/dashboard/dashboard.ts";
import { baseUrl } from "./base-url.ts";
import { copyOnClick } from "./copy.ts";
import { followProxy } from "./follow-proxy.ts";
import { askForKey } from "./key.ts";
import { patch } from "./patch.ts";
import { withNews } from "./with-news.ts";

const root = document.querySelector("#dashboard");
if (root instanceof HTMLElement) start(root);

function start(place: HTMLElement): void {
  let state: DashboardState | undefined;
  let filters: Filters = NO_FILTERS;
  let connection: Connection = "still";
  /** Milliseconds that the proxy's clock is ahead of this one. */
  let ahead = 0;
  const draw = () => {
    if (!state) return;
    const now = Date.now() + ahead;
    const view = { filters, base: baseUrl(location), isInteractive: true, connection };
    patch(place, dashboard({ ...state, now }, view).text);
  };
  place.addEventListener("change", ({ target }) => {
    filters = changed(filters, target);
    draw();
  });
  copyOnClick(place, document.querySelector("#said"));
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
      return askForKey(place, wasWrong);
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
