// Retries network operations, so that one failed download does not fail the whole run.
import { setTimeout as delay } from "node:timers/promises";

const PAUSES = [5_000, 20_000, 60_000];

/**
 * Runs `task` until it succeeds, with `pauses` in ms between attempts, and reports each retry. Throws the error of the
 * last attempt.
 */
export async function tryAgain(what, task, { pauses = PAUSES, report = toStderr } = {}) {
  for (const [index, pause] of pauses.entries()) {
    try {
      return await task();
    } catch (error) {
      report(
        `${what} failed (${firstLine(error)}). Trying again in ${pause / 1_000} s (attempts left: ${pauses.length - index}).`,
      );
      await delay(pause);
    }
  }
  return task();
}

/** Returns the first line of an error's message. */
export function firstLine(error) {
  return String(error?.message ?? error).split("\n")[0];
}

function toStderr(text) {
  process.stderr.write(`${text}\n`);
}
