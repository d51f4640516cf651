import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../../../errors.ts";
import { writeDurably } from "../../../files/durable-file.ts";
import { makePrivateFolder } from "../../../files/private-folder.ts";
import { toRealPath } from "../../../files/real-path.ts";
import type { LiveBatch } from "../../../review/api-types.ts";
import type { PlanDecision } from "../../../review/decision.ts";
import { batchNotes, planBatchText } from "../../../review/live/batch-text.ts";
import { endedReviews, livePlanFolder } from "../../../review/live/log-folder.ts";
import { listRunning, type RunningReview } from "../../../review/live/running-files.ts";
import { DEFAULT_DENIAL } from "../../../review/plan/agent-channel.ts";
import type { Output } from "../../output.ts";
import { claimSession } from "../agent-session.ts";
import type { PlanToReview } from "../plan-mode.ts";
import type { WatchedCaller } from "../watch-caller.ts";
import { callReview } from "./call-review.ts";
import { startDetached } from "./detach.ts";
import { type ReceivedBatch, waitForBatch } from "./wait-for-batch.ts";

/** A plan that an agent submits to the live review of its session. */
export interface SubmittedPlan {
  readonly toReview: PlanToReview;
  readonly plan: string;
  /** Identifies the agent's session; undefined if the agent does not name it. */
  readonly agentSession: string | undefined;
  readonly transcript: WatchedCaller["transcript"];
  /** Whether an approval delivers the person's feedback to the agent. */
  readonly takesNotes: boolean;
  readonly open: boolean;
  readonly signal: AbortSignal;
}

/**
 * Submits a plan to the live review of the agent's session, or opens one if there is none, and waits for the
 * person's next batch. Prints the batch as the decision: feedback is a denial, and the next plan of the
 * session is the next round in the same tab. Prints nothing if the person ended the review without feedback:
 * the agent then shows its own prompt.
 */
export async function decideInLiveReview(submitted: SubmittedPlan, output: Output): Promise<void> {
  const path = await planFile(submitted);
  const batch = (await receiveEarlierFeedback(path, submitted)) ?? (await nextBatch(path, submitted, output));
  const decision = toDecision(batch.content, submitted.takesNotes);
  if (decision) {
    const { selectPlanMode } = await import("../plan-mode.ts");
    if (!(await output.result(await selectPlanMode(submitted.toReview).encode(decision)))) return;
  } else output.note("The review has ended without a decision. The agent handles the plan.");
  await batch.confirm();
}

/** Returns the path of the session's plan, with links resolved, as the review reports it. */
async function planFile({ toReview, agentSession }: SubmittedPlan): Promise<string> {
  const { dataDirectory, project } = toReview.options;
  const folder = livePlanFolder(dataDirectory);
  await makePrivateFolder(folder);
  const key = `${toReview.channel.callerName}\0${agentSession ?? project}`;
  const name = createHash("sha256").update(key).digest("hex").slice(0, 32);
  return join(toRealPath(folder), `${name}.md`);
}

/**
 * Returns the feedback with which the person ended the session's previous review while the agent was working.
 * The agent gets this feedback first, because the person wrote it before seeing this plan.
 */
async function receiveEarlierFeedback(
  path: string,
  { toReview, signal }: SubmittedPlan,
): Promise<ReceivedBatch | undefined> {
  for (const id of await endedReviews(toReview.options.dataDirectory, ["plan", path])) {
    const batch = await waitForBatch({ id, timeout: 0, again: false, signal }).catch(() => undefined);
    if (!batch || !hasText(batch.content)) continue;
    return { ...batch, content: { ...batch.content, event: "feedback" } };
  }
  return undefined;
}

async function nextBatch(path: string, submitted: SubmittedPlan, output: Output): Promise<ReceivedBatch> {
  const { toReview, plan, agentSession, transcript, signal } = submitted;
  const { channel, options } = toReview;
  const session = { dataDirectory: options.dataDirectory, caller: channel.callerName, agentSession };
  const claim = await claimSession(session, randomUUID());
  await writeDurably(path, plan);
  const id =
    (await continueReview(path, options.dataDirectory)) ?? (await openReview(path, submitted, output));
  const batch = await waitForBatch({
    id,
    timeout: undefined,
    again: false,
    agent: channel.callerName,
    signal,
    caller: { parent: process.ppid, transcript, listensFor: channel.listensFor, claim },
  });
  if (batch) return batch;
  throw new AppError("review_ended", `The review ${id} ended unexpectedly`);
}

/**
 * Shows the plan as the next round of the review that is open for its file. Resolves to the review's id, or to
 * undefined if no review is open.
 */
async function continueReview(path: string, dataDirectory: string): Promise<string | undefined> {
  const isOfPlan = ({ live, file }: RunningReview) => live && file === path;
  const review = (await listRunning(dataDirectory)).find(isOfPlan);
  if (!review) return undefined;
  try {
    await callReview(review, { method: "POST", path: "/api/refresh" });
    return review.id;
  } catch (error) {
    // The person may just have ended the review.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function openReview(path: string, { toReview, open }: SubmittedPlan, output: Output): Promise<string> {
  const { channel, options, origin } = toReview;
  const started = await startDetached(
    [
      ...["review", "plan", path, "--live", "--detached", open ? "--open" : "--no-open"],
      ...[`--agent=${channel.callerName}`, `--project=${options.project}`],
      ...["--origin", origin, ...(options.port === undefined ? [] : ["--port", String(options.port)])],
    ],
    options.cwd,
    (text) => output.note(text),
  );
  if ("id" in started) return started.id;
  throw new AppError("internal", started.report.trim() || "The review did not start");
}

function hasText({ threads, feedback }: LiveBatch): boolean {
  return threads.length > 0 || feedback.trim() !== "";
}

/** Converts a batch to the decision for an agent that submitted its plan; undefined if the batch has none. */
function toDecision(batch: LiveBatch, takesNotes: boolean): PlanDecision | undefined {
  if (batch.event === "approved") {
    if (!hasText(batch)) return { kind: "approve" };
    if (takesNotes) return { kind: "approve", feedback: batchNotes(batch) };
    return { kind: "deny", feedback: `${APPROVED_WITH_NOTES}\n\n${batchNotes(batch)}` };
  }
  if (batch.event === "ended" && !hasText(batch)) return undefined;
  return { kind: "deny", feedback: planBatchText(batch) || DEFAULT_DENIAL };
}

const APPROVED_WITH_NOTES =
  "The person approved the plan with these notes. Work them into the plan, then submit it again.";
