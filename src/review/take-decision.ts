import type { FastifyReply } from "fastify";
import { AppError, messageOf } from "../errors.ts";
import { isFromPage } from "../http/page-token.ts";
import type { DecisionAnswer } from "./api-types.ts";
import type { ReviewContext } from "./context.ts";
import type { Decision, DecisionSource } from "./decision.ts";

/** What a body asked for, once it is found proper. */
export interface Proposal {
  readonly decision: Decision;
  /** Members that were ignored, in words for the person. */
  readonly warnings: readonly string[];
  /** Keeps copies where the person wanted them. Failures are warnings; it never throws. */
  readonly save: () => Promise<SaveReport>;
  /** Remembers for the next round what was decided in this one. Called once it is; may throw. */
  readonly keepRound: (from: DecisionSource) => Promise<void>;
}

export interface SaveReport {
  readonly savedPath?: string;
  readonly warnings: readonly string[];
}

/** How long a page may take to read its short answer before the review ends anyway. */
const FLUSH_LIMIT_MS = 1_000;

/**
 * Takes the one decision, phase by phase: claimed, copied, on record, told to the pages, answered, flushed. Only when
 * the answer has left does the session hand the decision on, so that the page always learns that it counted.
 * Throws `already_decided` for everyone but the first; whatever fails before the record leaves the review open. So
 * does the record itself (`storage`), the first time: a full disk must not keep the person from answering for ever.
 */
export async function takeDecision(
  context: ReviewContext,
  reply: FastifyReply,
  proposal: Proposal,
): Promise<DecisionAnswer> {
  const { session, events } = context;
  const from = isFromPage(reply.request, context.pageToken) ? "page" : "program";
  if (!session.claim()) throw new AppError("already_decided", "Already decided");
  const warnings = [...proposal.warnings];
  let report: SaveReport;
  try {
    report = await proposal.save();
    const decision = withSavedPath(proposal.decision, report.savedPath);
    warnings.push(...report.warnings, ...(await record(context, decision, from)));
    session.decide(decision);
  } catch (error) {
    session.release();
    throw error;
  }
  warnings.push(...(await keepRound(proposal, from)));
  // The agent may have gone on since the last regular look: nothing is shown as delivered that it will not read.
  await context.lookAtCaller?.();
  if (from === "program") context.onProgramDecision?.(proposal.decision);
  // Last: a page that hears it says that all is done, and people close what is done.
  events.send({ event: "decided", decision: proposal.decision.kind }, from);
  deliverWhenFlushed(context, reply);
  return {
    ok: true,
    ...(report.savedPath === undefined ? {} : { savedPath: report.savedPath }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(events.doubt === undefined ? {} : { doubt: events.doubt }),
  };
}

/** Puts the decision on record. Who has been told that this cannot be done, and decides again, means it. */
async function record(
  context: ReviewContext,
  decision: Decision,
  from: DecisionSource,
): Promise<readonly string[]> {
  const { records } = context;
  const isTold = records.hasFailed;
  try {
    await records.write(context, decision, from);
    return [];
  } catch (error) {
    if (isTold) return [`The decision is not on record. ${messageOf(error)}`];
    const remedy = "Make room there, or decide again to answer without a record.";
    throw new AppError("storage", `The decision was not taken. ${messageOf(error)} ${remedy}`, {
      cause: error,
    });
  }
}

async function keepRound(proposal: Proposal, from: DecisionSource): Promise<readonly string[]> {
  try {
    await proposal.keepRound(from);
    return [];
  } catch (error) {
    return [`The next round cannot show this one. ${messageOf(error)}`];
  }
}

function withSavedPath(decision: Decision, savedPath: string | undefined): Decision {
  if (savedPath === undefined || decision.kind === "feedback") return decision;
  return { ...decision, savedPath };
}

function deliverWhenFlushed({ session }: ReviewContext, reply: FastifyReply): void {
  reply.header("connection", "close");
  const late = setTimeout(() => session.deliver(), FLUSH_LIMIT_MS);
  reply.raw.once("close", () => {
    clearTimeout(late);
    session.deliver();
  });
}
