import { AppError } from "../../../errors.ts";
import { batchText } from "../../../review/live/batch-text.ts";
import type { Output } from "../../output.ts";
import type { WaitFlags } from "./program.ts";
import { waitForBatch } from "./wait-for-batch.ts";

/** The exit code of timeout(1). */
const TIMED_OUT = 124;

/** Runs `review wait`. Resolves to the exit code: 0 once a batch is printed, 124 after the time limit. */
export async function waitCommand(flags: WaitFlags, output: Output): Promise<number> {
  const { id, again, json } = flags;
  const batch = await waitForBatch({ id, again, timeout: secondsOf(flags.timeout) });
  if (batch === undefined) return TIMED_OUT;
  const text = json ? JSON.stringify(batch.content) : batchText(batch.content);
  // Only what was printed as a whole counts as handed out.
  if (!(await output.result(text))) return 1;
  await batch.confirm();
  return 0;
}

/** A day, the longest time that a review accepts. */
const MAX_SECONDS = 86_400;

/** Returns the seconds of --timeout; 0 checks once. Throws `usage`. */
function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= MAX_SECONDS) return seconds;
  throw new AppError("usage", `--timeout must be a number of seconds up to ${MAX_SECONDS}, got "${text}"`);
}
