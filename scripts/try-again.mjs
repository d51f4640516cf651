// For what goes over the network: once more after a pause, as one refused download shall not cost the whole run.
import { setTimeout as delay } from "node:timers/promises";

const PAUSES = [5_000, 20_000, 60_000];

/** Runs `task` until it succeeds, with pauses (ms) between; after the last one its error is thrown. Says what it does. */
export async function tryAgain(what, task, { pauses = PAUSES, report = toStderr } = {}) {
  for (const [index, pause] of pauses.entries()) {
    try {
      return await task();
    } catch (error) {
      report(
        `${what} failed (${firstLine(error)}). Trying again in ${pause / 1_000} s, ${pauses.length - index} left.`,
      );
      await delay(pause);
    }
  }
  return task();
}

/** The first line of what went wrong. */
export function firstLine(error) {
  return String(error?.message ?? error).split("\n")[0];
}

function toStderr(text) {
  process.stderr.write(`${text}\n`);
}
