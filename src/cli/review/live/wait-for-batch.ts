import { appendFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { withFileLock } from "../../../files/file-lock.ts";
import { mayStillRun } from "../../../files/running-process.ts";
import type { LiveBatch } from "../../../review/api-types.ts";
import { batchText } from "../../../review/live/batch-text.ts";
import { readLog, replay } from "../../../review/live/log-file.ts";
import { findBatch, findLog } from "../../../review/live/log-folder.ts";
import { listRunning, type RunningReview } from "../../../review/live/running-files.ts";
import { batchContent, lastDelivered, pendingBatches } from "../../../review/live/session-log.ts";
import type { Output } from "../../output.ts";
import { type WatchedCaller, watchCaller } from "../watch-caller.ts";
import { callReview, openCall, parseResponse, reviewEnded, toAuthor } from "./call-review.ts";
import { dataFolder, findReview } from "./find-review.ts";
import type { WaitFlags } from "./program.ts";

/** The exit code of timeout(1). */
const TIMED_OUT = 124;

/**
 * Runs `review wait`. Resolves to the exit code: 0 once a batch is printed, 1 if it could not be printed, 124 after the
 * time limit.
 */
export async function waitCommand(flags: WaitFlags, output: Output): Promise<number> {
  const { id, again, json } = flags;
  // A shell that started this command in the background can end before it.
  const caller = { parent: process.ppid, outlivesParent: true };
  const batch = await waitForBatch({ id, again, timeout: parseTimeout(flags.timeout), caller });
  if (batch === undefined) return TIMED_OUT;
  const text = json ? JSON.stringify(batch.content) : batchText(batch.content);
  // A batch counts as delivered only if it was printed completely.
  if (!(await output.result(text))) return 1;
  await batch.confirm();
  return 0;
}

/** One day, the longest timeout that a review accepts. */
const MAX_SECONDS = 86_400;

/** Returns the seconds of --timeout; 0 checks once. Throws `usage`. */
function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= MAX_SECONDS) return seconds;
  throw new AppError("usage", `--timeout must be a number of seconds up to ${MAX_SECONDS}, got "${text}"`);
}

export interface WaitRequest {
  /** Id of a review that is open or has ended, or undefined for the review of this repository. */
  readonly id: string | undefined;
  /** Seconds to wait; undefined stands for no limit. */
  readonly timeout: number | undefined;
  /** Whether to return the last batch again. */
  readonly again: boolean;
  /** Name of the agent that waits. */
  readonly agent?: string | undefined;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The agent that reads the output of this process; undefined if it cannot be watched. */
  readonly caller?: WatchedCaller | undefined;
}

/** A batch that an agent has received. */
export interface ReceivedBatch {
  readonly content: LiveBatch;
  /**
   * Records the delivery, unless the agent may have continued without this process. Without a record, another `wait`
   * can receive the batch after this process has ended.
   */
  confirm(): Promise<void>;
}

const response = z.union([
  z.object({ event: z.null() }),
  z.object({
    id: z.string(),
    event: z.enum(["feedback", "approved", "ended"]),
    round: z.number(),
    threads: z.array(z.looseObject({ id: z.string() })),
    feedback: z.string(),
  }),
]);

/**
 * Waits for the next batch of a live review. For a review that has ended, returns the next batch that no client has
 * fetched, or an empty final batch. With `again`, returns the last batch that was delivered. Resolves to undefined
 * after the time limit. Throws `usage` for an unknown review, for an interrupted review without further batches, and
 * with `again` if no batch was delivered; throws `review_ended` if the review is interrupted during the call.
 */
export async function waitForBatch(request: WaitRequest): Promise<ReceivedBatch | undefined> {
  let review: RunningReview;
  try {
    review = await findReview(request.id);
  } catch (error) {
    // The logs are searched after the list, because a review that ends writes its log before it leaves the
    // list.
    const log = request.id === undefined ? undefined : await endedLog(request.id);
    if (log === undefined) throw error;
    return fromLog(log, request);
  }
  try {
    return await fromReview(review, request);
  } catch (error) {
    // The person or an agent may just have ended the review.
    const log = hasProcessEnded(error) && !request.signal?.aborted ? await finalLog(review) : undefined;
    if (log === undefined) throw error;
    return fromLog(log, { ...request, id: review.id });
  }
}

const hasProcessEnded = (error: unknown) => error instanceof AppError && error.code === "review_ended";

/** Waits until a review has ended, and returns the path of its log; undefined if the review was interrupted. */
async function finalLog(review: RunningReview): Promise<string | undefined> {
  await processEnd(review);
  const path = await findLog(dataFolder(), review.id);
  if (path === undefined) return undefined;
  return replay(await readLog(path)).closed === "final" ? path : undefined;
}

/**
 * Waits for a batch of a running review and watches the agent. If the agent may have continued without this process,
 * the page shows the agent as disconnected; the review serves every other `wait` first and does not count the batch as
 * delivered.
 */
async function fromReview(review: RunningReview, request: WaitRequest): Promise<ReceivedBatch | undefined> {
  const { caller, signal, timeout } = request;
  if (!caller) return receive(review, request);
  const began = performance.now();
  const doubt = new AbortController();
  const watch = watchCaller(caller, { onDoubt: () => doubt.abort() });
  try {
    const either = signal ? AbortSignal.any([signal, doubt.signal]) : doubt.signal;
    const batch = await receive(review, { ...request, signal: either });
    await watch.look();
    if (!batch || !doubt.signal.aborted) return batch;
    return withoutDelivery(batch);
  } catch (error) {
    if (!doubt.signal.aborted || signal?.aborted) throw error;
    const left = timeout && Math.max(0, timeout - (performance.now() - began) / 1_000);
    const batch = await receive(review, { ...request, timeout: left, isDoubtful: true });
    return batch && withoutDelivery(batch);
  } finally {
    watch.stop();
  }
}

/** A batch whose response is still open. */
interface OpenBatch extends ReceivedBatch {
  /** Closes the response. The review then offers the batch to the next `wait`. */
  release(): void;
}

/** Returns a batch that stays undelivered although this process prints it. */
function withoutDelivery({ content, release }: OpenBatch): ReceivedBatch {
  return { content, confirm: async () => release() };
}

interface ReceiveRequest extends WaitRequest {
  readonly isDoubtful?: true;
}

async function receive(review: RunningReview, request: ReceiveRequest): Promise<OpenBatch | undefined> {
  const { timeout, again, agent, signal, isDoubtful } = request;
  const incoming = await openCall(review, {
    method: "POST",
    path: "/api/wait",
    body: { hold: true, again, timeout, author: toAuthor(agent), doubtful: isDoubtful },
    signal,
  });
  let text = "";
  incoming.setEncoding("utf8");
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      text += chunk;
      if (text.endsWith("\n")) break;
    }
  } catch (cause) {
    throw reviewEnded(review, cause);
  }
  const value = response.parse(parseResponse(review, incoming, text));
  if (value.event === null) return undefined;
  const { id, ...content } = value;
  // The server sends whole threads; this process passes them on unchanged.
  const batch = content as unknown as LiveBatch;
  const release = () => void incoming.destroy();
  if (id === "") return { content: batch, release, confirm: async () => void incoming.resume() };
  return {
    content: batch,
    release,
    async confirm() {
      try {
        await callReview(review, { method: "POST", path: `/api/batches/${id}` });
      } catch {
        await recordDelivery(review, id);
      } finally {
        incoming.destroy();
      }
    },
  };
}

/**
 * Returns the path of the log of a review that has ended, or undefined if the review still runs or is
 * unknown.
 */
async function endedLog(id: string): Promise<string | undefined> {
  const running = await listRunning(dataFolder());
  if (!/^[0-9a-z]+$/.test(id) || running.some((review) => review.id === id)) return undefined;
  return findLog(dataFolder(), id);
}

/** Returns the next batch of a review that has ended or, with `again`, the last one that was delivered. */
async function fromLog(path: string, { again, id = "" }: WaitRequest): Promise<ReceivedBatch> {
  const log = replay(await readLog(path));
  const next = again ? lastDelivered(log) : pendingBatches(log)[0];
  if (next) {
    return {
      content: batchContent(log, next),
      confirm: () => (again ? Promise.resolve() : appendDelivery(path, next.id)),
    };
  }
  if (again) throw new AppError("usage", "No feedback has been delivered yet");
  const final = log.batches.at(-1);
  if (final && final.event !== "feedback") {
    const { event, round } = final;
    return { content: { event, round, threads: [], feedback: "" }, confirm: async () => {} };
  }
  throw new AppError("usage", `The review ${id} was interrupted, and all of its feedback has been fetched`, {
    hint: "Continue it with --live.",
  });
}

/** Milliseconds that a review may take to end. */
const END_MS = 2_000;
const POLL_MS = 50;

/**
 * Records a delivery that the review could not record before it ended: in its log, or in the review that took
 * the log over. Without this record, the next review would deliver the batch again.
 */
async function recordDelivery(review: RunningReview, batch: string): Promise<void> {
  await processEnd(review);
  for (const id of await findBatch(dataFolder(), batch)) {
    const running = (await listRunning(dataFolder())).find((review) => review.id === id);
    if (running) await callReview(running, { method: "POST", path: `/api/batches/${batch}` });
    else {
      const path = await findLog(dataFolder(), id);
      if (path !== undefined) await appendDelivery(path, batch);
    }
  }
}

/** Resolves once the review's process has ended, or after a time limit. */
async function processEnd({ pid, host, started }: RunningReview): Promise<void> {
  const mark = { pid, host, started };
  for (const until = Date.now() + END_MS; mayStillRun(mark) && Date.now() < until; ) await delay(POLL_MS);
}

async function appendDelivery(path: string, batch: string): Promise<void> {
  // Uses the lock that a live review holds while it takes logs over.
  const lock = path.replace(/-[0-9a-z]+\.jsonl$/, ".lock");
  await withFileLock(lock, async () => {
    const entry = { op: "delivered", batch, at: new Date().toISOString() };
    await appendFile(path, `\n${JSON.stringify(entry)}\n`, { flag: "a" });
  });
}
