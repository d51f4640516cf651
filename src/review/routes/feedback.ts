import type { FastifyInstance } from "fastify";
import { parseBody } from "../body-schemas.ts";
import type { CodeReview } from "../code/code-review.ts";
import { feedbackBody } from "../code/code-schemas.ts";
import { proposeFeedback } from "../code/propose-feedback.ts";
import type { ReviewContext } from "../review-mode.ts";
import { takeDecision } from "../take-decision.ts";
import { holdDiff } from "./hold-diff.ts";

/** POST /api/feedback: what the person has to say. Ends the review. */
export function feedbackRoute(app: FastifyInstance, context: ReviewContext, { diffs }: CodeReview): void {
  app.post("/api/feedback", async (request, reply) => {
    const body = parseBody(feedbackBody, request.body);
    const { origin } = context;
    const { agents } = body.agentSwitch ? await context.agents() : { agents: [] };
    // A diff that could not be taken must not keep the person's words from the agent.
    const diff = await holdDiff(reply, diffs.current()).catch(() => undefined);
    const rules = { origin, agents, repository: diffs.repository.name };
    const { decision, warnings } = await proposeFeedback(body, diff, rules);
    return takeDecision(context, reply, { decision, warnings, save: async () => ({ warnings: [] }) });
  });
}
