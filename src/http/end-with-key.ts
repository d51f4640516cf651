/** Milliseconds between two checks. */
const CHECK_MS = 1_000;

/** A response or connection that may never end by itself. */
interface Endless {
  once(event: "close", listener: () => void): unknown;
}

/** Calls `end` each second while the key of an endless response or connection is not valid, until it is closed. */
export function endWithKey(endless: Endless, isValid: () => boolean, end: () => void): void {
  const timer = setInterval(() => {
    if (!isValid()) end();
  }, CHECK_MS);
  timer.unref();
  endless.once("close", () => clearInterval(timer));
}
