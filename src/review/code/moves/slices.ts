import { setImmediate } from "node:timers/promises";

/** Lets the process serve other requests if `SLICE_MS` have passed since the last time. */
export type Pause = () => Promise<void>;

/** Milliseconds of work after which other requests are served. */
const SLICE_MS = 8;

/** Creates a pause for long work. */
export function createPause(): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

/** Runs a generator to its end, with pauses. */
export async function inSlices<Result>(work: Generator<void, Result>, pause: Pause): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await pause();
  }
}
