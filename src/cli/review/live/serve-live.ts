import type { ReviewContext } from "../../../review/context.ts";
import { batchText } from "../../../review/live/batch-text.ts";
import { retitleRunning } from "../../../review/live/register-review.ts";
import type { TakenBatch } from "../../../review/live/taken-batch.ts";
import type { Outcome } from "../../../review/session.ts";
import type { Review, ReviewRun } from "../run.ts";

/** Milliseconds for which an ending review waits for agents that are receiving a batch. */
const SETTLE_MS = 2_000;

/** Makes a review live, before its server handles requests. */
export async function startLive(
  { session, identity, review }: ReviewRun,
  options: NonNullable<Review["live"]>,
  context: ReviewContext,
): Promise<void> {
  const firstRound = await context.mode.firstRound();
  await context.threads.goLive({
    firstRound,
    agent: options.agent,
    idle: options.idle,
    onIdle: () => session.abandon("idle"),
    onRound: () => {
      const title = context.mode.title?.();
      if (title === undefined || session.phase !== "waiting") return;
      void retitleRunning(review.options.dataDirectory, identity.reviewId, title);
    },
  });
  const stop = context.mode.startLive(context);
  void session.outcome.then(stop);
}

/** Sends the id and the address of a detached review to the process that started it, and disconnects from it. */
export async function announceLive({ url }: ReviewRun, { threads }: ReviewContext): Promise<void> {
  if (!process.connected) return;
  const message = { id: threads.reviewId, url };
  await new Promise<void>((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
  // The process that started this one may have been killed in the meantime.
  if (process.connected) process.disconnect();
}

/** The output of a live review that has ended. */
export interface LiveEnd {
  /**
   * Prints the batches that no `wait` has fetched; nothing for a detached review, or after a signal, a time limit or
   * the end of the caller. Called once the server is closed.
   */
  print(): Promise<void>;
}

/**
 * Ends a live review: records the interruption if the review was interrupted, waits for agents that are receiving a
 * batch, and returns the output.
 */
export async function endLive(
  { review, output }: ReviewRun,
  { threads: { live } }: ReviewContext,
  outcome: Outcome,
): Promise<LiveEnd> {
  if (!live) return { print: async () => {} };
  if (outcome.kind === "abandoned" && outcome.reason !== "ended") await live.interrupt();
  await live.settled(SETTLE_MS);
  live.stop();
  const isKilled = outcome.kind === "abandoned" && outcome.reason !== "ended" && outcome.reason !== "idle";
  const untaken = isKilled || review.live?.isDetached ? [] : live.untaken();
  return {
    async print() {
      const text = review.options.json
        ? finalJson(untaken)
        : untaken.map(({ content }) => batchText(content)).join("\n\n");
      if (text === "" || !(await output.result(text))) return;
      for (const batch of untaken) await batch.confirm().catch(() => {});
    },
  };
}

/**
 * Returns the last event as JSON, with the threads and the feedback of all batches that no client has fetched. Returns
 * an empty text if there are none.
 */
function finalJson(untaken: readonly TakenBatch[]): string {
  const contents = untaken.map(({ content }) => content);
  const last = contents.at(-1);
  if (last === undefined) return "";
  const feedback = contents.map((content) => content.feedback).filter((text) => text !== "");
  return JSON.stringify({
    ...last,
    threads: contents.flatMap(({ threads }) => threads),
    feedback: feedback.join("\n\n"),
  });
}
