/** Milliseconds for which no input is accepted after the page gained focus. */
export const FOCUS_DELAY_MS = 1_000;
/** Milliseconds for which an irreversible button accepts no input after it appeared. */
export const APPEAR_DELAY_MS = 400;

/**
 * Times on the page's clock, in milliseconds: when the page gained focus, and when the button appeared.
 */
export interface GateTimes {
  /** When the page gained its current focus while visible; undefined while the page has no focus. */
  readonly focusedAt: number | undefined;
  /** Undefined before the button has appeared. */
  readonly shownAt: number | undefined;
}

/**
 * Returns the milliseconds until input is accepted: 0 if it is accepted now, undefined while the page has no focus or
 * the button is not shown.
 */
export function delayLeft({ focusedAt, shownAt }: GateTimes, now: number): number | undefined {
  if (focusedAt === undefined || shownAt === undefined) return undefined;
  return Math.max(0, focusedAt + FOCUS_DELAY_MS - now, shownAt + APPEAR_DELAY_MS - now);
}

/** Returns whether input at a time is accepted. */
export function isOpen(times: GateTimes, at: number): boolean {
  return delayLeft(times, at) === 0;
}

/** A click on an irreversible button. */
export interface Click {
  readonly isTrusted: boolean;
  /** `UIEvent.detail`: 0 if the click did not come from a pointer. */
  readonly detail: number;
  readonly at: number;
  /** When the pointer was pressed on this button; undefined if it was pressed elsewhere. */
  readonly pressedAt: number | undefined;
  /** When a key last went down or up in the page. */
  readonly keyAt: number | undefined;
}

/** A click within this time after a key event is attributed to the key. */
const KEY_CLICK_MS = 500;

/**
 * Returns whether a click presses an irreversible button. Accepts a pointer press that began on the button,
 * and clicks of assistive technology, which come from neither a pointer nor a key. Rejects Enter, Space and
 * scripts.
 */
export function acceptsClick(click: Click, times: GateTimes): boolean {
  const { isTrusted, detail, at, pressedAt, keyAt } = click;
  if (!isTrusted || !isOpen(times, at)) return false;
  if (detail > 0) return pressedAt !== undefined && isOpen(times, pressedAt);
  return pressedAt === undefined && (keyAt === undefined || at - keyAt > KEY_CLICK_MS);
}

/** A key press while an irreversible button is shown. */
export interface DecidingKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly repeat: boolean;
  readonly isTrusted: boolean;
  readonly at: number;
}

/** Returns whether a key press presses an irreversible button: Ctrl+Enter or Cmd+Enter without key repeat. */
export function acceptsKey(press: DecidingKey, times: GateTimes): boolean {
  return isDecidingKey(press) && press.isTrusted && !press.repeat && isOpen(times, press.at);
}

/** Returns whether a key press is Ctrl+Enter or Cmd+Enter, regardless of time and trust. */
export function isDecidingKey(press: Omit<DecidingKey, "repeat" | "isTrusted" | "at">): boolean {
  return press.key === "Enter" && (press.ctrlKey || press.metaKey) && !press.altKey && !press.shiftKey;
}
