import { AppError } from "../../errors.ts";
import { writeDurably } from "../../files/durable-file.ts";
import { fenced } from "../../render/markdown/fences.ts";
import type { Round } from "../api-types.ts";
import type { AskSubject } from "../ask/compose-prompt.ts";
import type { ReviewMode } from "../context.ts";
import { type PlanDecision, planDecision } from "../decision.ts";
import { namedImages } from "../images/image-policy.ts";
import { findQuote, followRange, quoteContext } from "../live/follow-quote.ts";
import type { ThreadAnchors } from "../live/thread-anchors.ts";
import type { SentAnchor } from "../live/thread-bodies.ts";
import type { ThreadStore } from "../live/thread-store.ts";
import type { DraftStore } from "../storage/drafts.ts";
import { decisionJson, decisionText } from "./generic-channel.ts";
import { createPlanId, type PlanSource } from "./plan-id.ts";
import type { PlanReview } from "./plan-review.ts";
import { approveRoute } from "./routes/approve.ts";
import { denyRoute } from "./routes/deny.ts";
import { notesVaultsRoute } from "./routes/notes-vaults.ts";
import { planRoute } from "./routes/plan.ts";
import { plannedCopies, saveCopies } from "./save/save-copies.ts";

/** Creates the mode of a plan review: its routes, prerendering and decision formats. */
export function createPlanMode(review: PlanReview): ReviewMode {
  const refresh: ReviewMode["refresh"] = async ({ threads }, onTaken) => {
    const before = await review.reload?.();
    if (before === undefined) return false;
    onTaken();
    const store = await threads.opened;
    await store?.follow(followPlan(before, review.plan));
    return true;
  };
  const catchUp: NonNullable<ReviewMode["catchUp"]> = async (context) => {
    const { live } = context.threads;
    try {
      if (live && !live.isClosed) await live.nextRound((onTaken) => refresh(context, onTaken));
      else await refresh(context, () => {});
    } catch {
      // If a save cannot be read, the plan is read again with the next save or refresh.
    }
  };
  return {
    kind: "plan",
    registerRoutes(app, context) {
      planRoute(app, context, review);
      approveRoute(app, context, review);
      denyRoute(app, context, review);
      notesVaultsRoute(app, review);
    },
    anchors: createPlanAnchors(review),
    firstRound: async () => (await review.history)?.round ?? 1,
    refresh,
    catchUp,
    startLive(context) {
      void context.threads.live?.store.follow(followPlan(undefined, review.plan)).catch(() => {});
      return review.watch?.(() => void catchUp(context)) ?? (() => {});
    },
    async approval({ settings }, feedback) {
      const decision: PlanDecision = { kind: "approve", ...(feedback === "" ? {} : { feedback }) };
      const copies = plannedCopies({}, (await settings.read()).planSave, review);
      return {
        decision,
        warnings: [],
        save: () => saveCopies(copies, decision, review),
        keepRound: async (from) => (await review.history)?.decide(decision, from),
      };
    },
    prerender: createPrerender(review),
    title: () => review.title,
    draftKey: () => review.planId,
    async history({ drafts }) {
      const earlier = (await review.history)?.earlier ?? [];
      return { rounds: await Promise.all(earlier.map((round) => withDraft(round, review.source, drafts))) };
    },
    describeSubject: async (anchor) => describePart(review, anchor),
    namedImages: () => namedImages(review.plan),
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
  const draft = await drafts.read(createPlanId(round.plan, source)).catch(() => undefined);
  return draft && draft.generation > 0 ? { ...round, draft } : round;
}

/**
 * Maximum characters of a prerendered plan. A longer plan would block other responses; the page renders it.
 */
const MAX_PRERENDERED = 200_000;

/**
 * Returns a function that renders the plan into the page, unless the plan is empty or too long. Loads the Markdown
 * parser on first use, so that the server starts without it.
 */
function createPrerender(review: PlanReview): NonNullable<ReviewMode["prerender"]> {
  let rendered: { readonly plan: string; readonly html: string } | undefined;
  return async (page, { settings, threads }) => {
    const { plan, title } = review;
    if (plan.trim() === "" || plan.length > MAX_PRERENDERED) return page;
    const { withFirstPaint } = await import("../first-paint.ts");
    if (rendered?.plan !== plan) rendered = { plan, html: await renderPlan(plan) };
    return withFirstPaint(page, {
      title: `${title}: plan review`,
      theme: (await settings.read()).theme,
      html: rendered.html,
      agent: threads.live?.state.agent,
    });
  };
}

/**
 * Prerenders the plan as HTML inside the same elements that the page's script renders around it, so that the script
 * causes no layout shift.
 */
async function renderPlan(plan: string): Promise<string> {
  const [{ markdownHtml }, { parseMarkdown }] = await Promise.all([
    import("../../render/markdown/markdown-html.ts"),
    import("../../render/markdown/parse/parse-markdown.ts"),
  ]);
  return [
    '<div class="page"><header class="header"></header><section class="banners"></section><div class="columns"><nav class="contents"></nav>',
    '<main class="main" aria-busy="true"><div class="sheet"><div class="plan">',
    markdownHtml(parseMarkdown(plan)),
    '</div></div></main><aside class="sidebar"></aside></div></div>',
  ].join("");
}

/** Locates anchors in the current plan: ranges of its Markdown source, and the review as a whole. */
function createPlanAnchors(review: PlanReview): ThreadAnchors {
  return {
    async locate(anchor) {
      if (anchor.kind === "review") return { anchor };
      if (anchor.kind !== "plan")
        throw new AppError("validation", `anchor: a plan has no anchors of the kind "${anchor.kind}"`);
      const { plan } = review;
      const { start, end } = anchor;
      if (end > plan.length)
        throw new AppError("validation", `anchor: the plan has ${plan.length} characters, and end is ${end}`);
      return {
        anchor: { kind: "plan", start, end, quote: plan.slice(start, end) },
        context: quoteContext(plan, anchor),
      };
    },
  };
}

/** Describes the subject of a question about a plan: the passage within its section, or the whole plan. */
function describePart({ plan }: PlanReview, anchor: SentAnchor): AskSubject {
  if (anchor.kind === "review") return { title: "The plan", text: fenced(plan, "markdown") };
  if (anchor.kind !== "plan")
    throw new AppError("validation", `anchor: a plan has no anchors of the kind "${anchor.kind}"`);
  const { start, end } = anchor;
  if (end > plan.length)
    throw new AppError("validation", `anchor: the plan has ${plan.length} characters, and end is ${end}`);
  const headings = [...plan.matchAll(/^#{1,6} .*$/gm)].map(({ index }) => index);
  const from = headings.findLast((at) => at <= start) ?? 0;
  const to = headings.find((at) => at >= end && at > from) ?? plan.length;
  const passage = `The passage in question:\n\n${fenced(plan.slice(start, end), "markdown")}`;
  return {
    title: "A part of the plan",
    text: `${passage}\n\nIts section:\n\n${fenced(plan.slice(from, to), "markdown")}`,
  };
}

/** Returns a function that finds anchors again in `after`; `before` is the text that they refer to, if it is known. */
function followPlan(before: string | undefined, after: string): Parameters<ThreadStore["follow"]>[0] {
  return async ({ anchor, outdated }, context) => {
    if (anchor.kind !== "plan") return { anchor, outdated };
    const followed = before === undefined || outdated ? undefined : followRange(before, after, anchor);
    const surroundings =
      before === undefined || outdated
        ? (context ?? { before: [], after: [] })
        : quoteContext(before, anchor);
    const range = followed ?? findQuote(after, anchor.quote, surroundings, anchor.start);
    if (range === undefined) return { anchor, outdated: true, context: surroundings };
    return { anchor: { ...anchor, ...range }, outdated: false, context: quoteContext(after, range) };
  };
}
