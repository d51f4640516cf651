import { writeDurably } from "../../files/durable-file.ts";
import type { Round } from "../api-types.ts";
import type { ReviewMode } from "../context.ts";
import { planDecision } from "../decision.ts";
import { namedImages } from "../images/image-policy.ts";
import type { DraftStore } from "../storage/drafts.ts";
import { decisionJson, decisionText } from "./generic-channel.ts";
import { type PlanSource, planIdOf } from "./plan-id.ts";
import type { PlanReview } from "./plan-review.ts";
import { approveRoute } from "./routes/approve.ts";
import { denyRoute } from "./routes/deny.ts";
import { notesVaultsRoute } from "./routes/notes-vaults.ts";
import { planRoute } from "./routes/plan.ts";

/** Creates the mode of a plan review: its routes, prerendering and decision formats. */
export function createPlanMode(review: PlanReview): ReviewMode {
  return {
    kind: "plan",
    registerRoutes(app, context) {
      planRoute(app, context, review);
      approveRoute(app, context, review);
      denyRoute(app, context, review);
      notesVaultsRoute(app, review);
    },
    prerender: createPrerender(review),
    draftKey: () => review.planId,
    async history({ drafts }) {
      const earlier = (await review.history)?.earlier ?? [];
      return { rounds: await Promise.all(earlier.map((round) => withDraft(round, review.source, drafts))) };
    },
    namedImages: namedImages(review.plan),
    async encode(decision) {
      const made = planDecision(decision);
      const text = review.channel.planFile?.(made, review.plan);
      if (text !== undefined && review.file !== undefined) await writeDurably(review.file, text);
      return review.channel.encode(made, review.plan);
    },
    isObjection: (decision) => decision.kind === "deny",
    present(decision) {
      const made = planDecision(decision);
      return { title: review.title, text: decisionText(made), json: decisionJson(made) };
    },
  };
}

/** Adds the stored draft to a round without a decision, so that its text can be used in the next round. */
async function withDraft(round: Round, source: PlanSource, drafts: DraftStore): Promise<Round> {
  if (round.decision) return round;
  const draft = await drafts.read(planIdOf(round.plan, source)).catch(() => undefined);
  return draft && draft.generation > 0 ? { ...round, draft } : round;
}

/** Maximum characters of a prerendered plan. A longer one would block other responses; the page renders it. */
const MAX_PRERENDERED = 200_000;

/** Renders the plan on first use, so that the server starts without loading the Markdown parser. */
function createPrerender({ plan, title }: PlanReview): NonNullable<ReviewMode["prerender"]> {
  let html: string | undefined;
  return async (page, { settings }) => {
    if (plan.trim() === "" || plan.length > MAX_PRERENDERED) return page;
    const [{ renderPlan }, { withFirstPaint }] = await Promise.all([
      import("./render-plan.ts"),
      import("../first-paint.ts"),
    ]);
    html ??= renderPlan(plan);
    return withFirstPaint(page, {
      title: `${title}: plan review`,
      theme: (await settings.read()).theme,
      html,
    });
  };
}
