import type { FastifyReply } from "fastify";
import { AppError, getErrorMessage } from "../errors.ts";
import { isFromPage } from "../http/page.ts";
import type { DecisionResponse } from "./api-types.ts";
import type { ReviewContext } from "./context.ts";
import type { Decision, DecisionSource } from "./decision.ts";

/** A validated decision and its effects. */
export interface Proposal {
  readonly decision: Decision;
  /** Warnings about ignored members, as messages for the person. */
  readonly warnings: readonly string[];
  /** Saves the requested copies. Failures become warnings; never rejects. */
  readonly save: () => Promise<SaveReport>;
  /** Stores the round for the next one. Called after the decision has been recorded; may reject. */
  readonly keepRound: (from: DecisionSource) => Promise<void>;
}

export interface SaveReport {
  readonly savedPath?: string;
  readonly warnings: readonly string[];
}

/** Milliseconds that a page may take to read the response before the review ends anyway. */
const FLUSH_LIMIT_MS = 1_000;

/**
 * Takes the decision of a review: claims it, saves copies, records it, notifies pages, and ends the session when the
 * response has been flushed or after `FLUSH_LIMIT_MS`. Throws `already_decided` if another request has claimed the
 * decision or the review is over. If recording fails, throws `storage` and leaves the review open; if it fails again,
 * takes the decision without a record, so that a full disk cannot block it.
 */
export async function takeDecision(
  context: ReviewContext,
  reply: FastifyReply,
  proposal: Proposal,
): Promise<DecisionResponse> {
  const { session, events } = context;
  const from = isFromPage(reply.request, context.pageToken) ? "page" : "program";
  if (!session.claim()) throw new AppError("already_decided", "Already decided");
  const warnings = [...proposal.warnings];
  let report: SaveReport;
  try {
    report = await proposal.save();
    const decision = withSavedPath(proposal.decision, report.savedPath);
    warnings.push(...report.warnings, ...(await record(context, decision, from)));
    await context.threads.live?.decided(decision);
    session.decide(decision);
  } catch (error) {
    session.release();
    throw error;
  }
  warnings.push(...(await keepRound(proposal, from)));
  // If the agent has continued since the last regular check, the page must not show the decision as delivered.
  await context.lookAtCaller?.();
  if (from === "program") context.onProgramDecision?.(proposal.decision);
  // The event is sent last, because people close the page when it shows the decision as complete.
  events.send({ event: "decided", decision: proposal.decision.kind }, from);
  endWhenFlushed(reply, () => session.deliver());
  return {
    ok: true,
    savedPath: report.savedPath,
    ...(warnings.length === 0 ? {} : { warnings }),
    doubt: events.doubt ?? (context.threads.live?.isDeserted ? "disconnected" : undefined),
  };
}

/** Records the decision. Throws `storage` for the first failure; returns later ones as warnings. */
async function record(
  context: ReviewContext,
  decision: Decision,
  from: DecisionSource,
): Promise<readonly string[]> {
  const { records } = context;
  const isRepeated = records.hasFailed;
  try {
    await records.write(context, decision, from);
    return [];
  } catch (error) {
    if (isRepeated) return [`The decision is not recorded. ${getErrorMessage(error)}`];
    const remedy =
      "Free space there or correct the permissions, or decide again to send the decision without a record.";
    throw new AppError("storage", `The decision was not accepted. ${getErrorMessage(error)} ${remedy}`, {
      cause: error,
    });
  }
}

async function keepRound(proposal: Proposal, from: DecisionSource): Promise<readonly string[]> {
  try {
    await proposal.keepRound(from);
    return [];
  } catch (error) {
    return [`The next round cannot show this round. ${getErrorMessage(error)}`];
  }
}

function withSavedPath(decision: Decision, savedPath: string | undefined): Decision {
  if (savedPath === undefined || decision.kind === "feedback") return decision;
  return { ...decision, savedPath };
}

/**
 * Calls `end` when the response has been sent or the client has disconnected. Also calls it after `FLUSH_LIMIT_MS` if
 * neither has happened by then.
 */
export function endWhenFlushed(reply: FastifyReply, end: () => void): void {
  reply.header("connection", "close");
  const late = setTimeout(end, FLUSH_LIMIT_MS);
  reply.raw.once("close", () => {
    clearTimeout(late);
    end();
  });
}
