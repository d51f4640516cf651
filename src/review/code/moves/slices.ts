import { setImmediate } from "node:timers/promises";

/** Lets other work of the process run, if enough time has passed since it last did. */
export type Pause = () => Promise<void>;

/** Creates a pause for work that takes longer than these milliseconds. */
export function pauseAfter(milliseconds: number): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < milliseconds) return;
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
