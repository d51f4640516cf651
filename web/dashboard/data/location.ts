import { useCallback, useSyncExternalStore } from "react";

/**
 * The location of the page: a view, optionally one item in it, and the view's choices. The location is stored in the
 * URL's fragment.
 */
export interface PageLocation {
  readonly view: string;
  /** The open item, such as the id of the call whose details are shown. */
  readonly item: string | undefined;
  readonly choices: Readonly<Record<string, string>>;
}

/** Parses a fragment such as `#/calls/req_1?range=24h`. */
export function parseLocation(fragment: string): PageLocation {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const [view = "", item = ""] = path.split("/").map(decoded);
  return {
    view,
    item: item === "" ? undefined : item,
    choices: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Formats a location as a fragment. Empty choices are left out. */
export function formatLocation({ view, item, choices }: PageLocation): string {
  const path = [view, ...(item === undefined ? [] : [item])].map(encodeURIComponent).join("/");
  const set = Object.entries(choices).filter(([, value]) => value !== "");
  return `#/${path}${set.length === 0 ? "" : `?${new URLSearchParams(set)}`}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function subscribe(onChange: () => void): () => void {
  addEventListener("hashchange", onChange);
  return () => removeEventListener("hashchange", onChange);
}

/** Returns the page's location, and a function that changes choices of the view without a step in the history. */
export function usePageLocation(): [PageLocation, (choices: Readonly<Record<string, string>>) => void] {
  const fragment = useSyncExternalStore(subscribe, () => location.hash);
  const choose = useCallback((choices: Readonly<Record<string, string>>) => {
    const here = parseLocation(location.hash);
    const next = formatLocation({ ...here, choices: { ...here.choices, ...choices } });
    history.replaceState(null, "", next);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }, []);
  return [parseLocation(fragment), choose];
}

/** Opens a location, as following a link does. */
export function openLocation(next: PageLocation): void {
  location.hash = formatLocation(next);
}
