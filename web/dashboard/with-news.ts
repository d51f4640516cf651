import type { DashboardState } from "../../src/proxy/dashboard/api-types.ts";

/** How many ended calls the page keeps. */
const MOST_CALLS = 200;

/** The latest state with the calls that are known already behind its new ones. A call that came twice is one. */
export function withNews(known: DashboardState | undefined, news: DashboardState): DashboardState {
  // After a new start of the proxy, or a first event, nothing of before is of interest.
  if (!known || known.startedAt !== news.startedAt) return news;
  const calls = new Map([...news.calls, ...known.calls].map((call) => [call.id, call]));
  return { ...news, calls: [...calls.values()].slice(0, MOST_CALLS) };
}
