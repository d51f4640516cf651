import type { FastifyReply } from "fastify";
import { AppError } from "../errors.ts";
import type { DecisionAnswer } from "./api-types.ts";
import type { Decision } from "./decision.ts";
import type { ReviewContext } from "./review-mode.ts";

/** What a body asked for, once it is found proper. */
export interface Proposal {
  readonly decision: Decision;
  /** Members that were ignored, in words for the person. */
  readonly warnings: readonly string[];
  /** Keeps copies where the person wanted them. Failures are warnings; it never throws. */
  readonly save: () => Promise<SaveReport>;
}

export interface SaveReport {
  readonly savedPath?: string;
  readonly warnings: readonly string[];
}

/** How long a page may take to read its short answer before the review ends anyway. */
const FLUSH_LIMIT_MS = 1_000;

/**
 * Takes the one decision, phase by phase: claimed, copied, on record, answered, flushed. Only when the answer has
 * left does the session hand the decision on, so that the page always learns that it counted.
 * Throws `already_decided` for everyone but the first; whatever fails before the record leaves the review open.
 */
export async function takeDecision(
  context: ReviewContext,
  reply: FastifyReply,
  proposal: Proposal,
): Promise<DecisionAnswer> {
  const { session, events } = context;
  if (!session.claim()) throw new AppError("already_decided", "Already decided");
  let report: SaveReport;
  try {
    report = await proposal.save();
    const decision = withSavedPath(proposal.decision, report.savedPath);
    await context.records.write(context, decision);
    session.decide(decision);
  } catch (error) {
    session.release();
    throw error;
  }
  events.send({ event: "decided", decision: proposal.decision.kind });
  deliverWhenFlushed(context, reply);
  const warnings = [...proposal.warnings, ...report.warnings];
  return {
    ok: true,
    ...(report.savedPath === undefined ? {} : { savedPath: report.savedPath }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
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
