/** Maximum milliseconds between two checks for connected clients. */
const IDLE_CHECK_MS = 1_000;

/** Calls `onIdle` if `isBusy` returned false for `limit` milliseconds after the last `touch`. */
export function createIdleTimer(limit: number, isBusy: () => boolean, onIdle: () => void) {
  let last = performance.now();
  const touch = () => {
    last = performance.now();
  };
  const timer = setInterval(
    () => {
      if (isBusy()) touch();
      else if (performance.now() - last >= limit) {
        clearInterval(timer);
        onIdle();
      }
    },
    Math.min(IDLE_CHECK_MS, Math.max(50, limit / 4)),
  );
  timer.unref();
  return { touch, stop: () => clearInterval(timer) };
}
