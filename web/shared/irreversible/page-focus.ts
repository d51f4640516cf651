/** When the page gained focus while visible; undefined while the page has no focus. */
let focusedAt: number | undefined;
/** The time of the last `keydown` or `keyup` event. */
let keyAt: number | undefined;
const listeners = new Set<() => void>();

/** Returns when the page gained its current focus, in milliseconds on the page's clock. */
export const pageFocusedAt = (): number | undefined => focusedAt;
/**
 * Returns the time of the last `keydown` or `keyup` event, in milliseconds on the page's clock; undefined before the
 * first one.
 */
export const lastKeyAt = (): number | undefined => keyAt;

/** Calls the listener whenever the page gains or loses focus. Returns a function that unsubscribes. */
export function onPageFocus(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function look(): void {
  // `hasFocus` is also true while a frame inside the page has the focus.
  const isFocused = document.visibilityState === "visible" && document.hasFocus();
  if (isFocused === (focusedAt !== undefined)) return;
  focusedAt = isFocused ? performance.now() : undefined;
  for (const listener of listeners) listener();
}

function onFocus(): void {
  focusedAt = undefined;
  look();
}

const onKey = ({ timeStamp }: KeyboardEvent) => {
  keyAt = timeStamp;
};

if (typeof document !== "undefined") {
  look();
  addEventListener("focus", onFocus);
  addEventListener("blur", look);
  addEventListener("pageshow", onFocus);
  document.addEventListener("visibilitychange", onFocus);
  addEventListener("keydown", onKey, { capture: true });
  addEventListener("keyup", onKey, { capture: true });
}
