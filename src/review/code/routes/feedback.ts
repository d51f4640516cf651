import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../../errors.ts";
import { parseBody } from "../../body-schemas.ts";
import type { ReviewContext } from "../../context.ts";
import type { DiffLease } from "../../diff-session.ts";
import { takeDecision } from "../../take-decision.ts";
import type { CodeReview } from "../code-review.ts";
import { feedbackBody } from "../code-schemas.ts";
import { type ProposedFeedback, proposeFeedback } from "../feedback/propose-feedback.ts";
import { rememberedFiles } from "../rounds/round-lines.ts";
import { captureDiff, compressDiff } from "../rounds/sent-diff.ts";
import { leaseDiff } from "./lease-diff.ts";

/** Milliseconds that feedback waits for git. */
const GIT_WAIT_MS = 5_000;

/** POST /api/feedback: sends the person's feedback and ends the review. */
export function feedbackRoute(app: FastifyInstance, context: ReviewContext, review: CodeReview): void {
  const { diffs } = review;
  app.post("/api/feedback", async (request, reply) => {
    const body = parseBody(feedbackBody, request.body);
    checkReviewSeen(body.sessionId, context);
    const { origin } = context;
    const { agents } = body.agentSwitch ? await context.agents() : { agents: [] };
    const diff = await diffInTime(leaseDiff(reply, diffs.current()));
    const proposed = await proposeFeedback(body, diff, { origin, agents, repository: diffs.repository.name });
    return takeDecision(context, reply, {
      ...proposed,
      save: async () => ({ warnings: [] }),
      keepRound: () => keepRound(review, diff, proposed),
    });
  });
}

/**
 * Returns the diff, or undefined if it is not available in time; the feedback then quotes no code. Programs that read
 * the sides of the diff have the same time limit.
 */
async function diffInTime(taking: Promise<DiffLease>): Promise<DiffLease | undefined> {
  const diff = await Promise.race([taking, delay(GIT_WAIT_MS, undefined, { ref: false })]).catch(
    () => undefined,
  );
  return diff && { ...diff, sides: diff.sides.within(GIT_WAIT_MS) };
}

/** Stores the diff and the feedback for the next round. */
async function keepRound(
  { rounds, diffs }: CodeReview,
  diff: DiffLease | undefined,
  proposed: ProposedFeedback,
) {
  if (!diff) return;
  const {
    snapshot,
    snapshot: { plan },
  } = diff;
  const round = {
    sentAt: new Date().toISOString(),
    diffType: plan.diffType,
    gitRef: plan.gitRef,
    paths: diffs.paths,
    text: proposed.decision.text,
    annotations: proposed.quoted.map(({ annotation, code }) => ({ ...annotation, code })),
    files: await rememberedFiles(snapshot),
  };
  await rounds.add(diff.gitContext.currentBranch, round, await compressDiff(await captureDiff(snapshot)));
}

/**
 * Throws `another_review` if a decision names another review than this one. A tab can outlive a review that was
 * killed, and a later review can have the same address. A decision without an id is accepted.
 */
function checkReviewSeen(seen: string | undefined, { sessionId }: Pick<ReviewContext, "sessionId">): void {
  if (seen === undefined || seen === sessionId) return;
  throw new AppError(
    "another_review",
    "This tab is out of date: another review is now open at this address. Reload to see it; your comments are kept.",
  );
}
