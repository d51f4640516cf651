import { createHash } from "node:crypto";
import { getErrorMessage } from "../../errors.ts";
import type { ReviewContext, ReviewMode } from "../context.ts";
import { codeDecision, type Decision } from "../decision.ts";
import type { ThreadStore } from "../live/thread-store.ts";
import { createCodeAnchors, followCode, switchWithThreads } from "./code-anchors.ts";
import type { CodeReview } from "./code-review.ts";
import { proposeFeedback } from "./feedback/propose-feedback.ts";
import { createPrerender } from "./first-paint/prerender.ts";
import { createSentDiffs } from "./rounds/sent-in-session.ts";
import { commitRoutes } from "./routes/commits.ts";
import { diffRoute } from "./routes/diff.ts";
import { diffImageRoute } from "./routes/diff-image.ts";
import { diffIndexRoute } from "./routes/diff-index.ts";
import { diffInterdiffRoute } from "./routes/diff-interdiff.ts";
import { diffMechanicalRoute } from "./routes/diff-mechanical.ts";
import { diffMovesRoute } from "./routes/diff-moves.ts";
import { diffPatchRoute } from "./routes/diff-patch.ts";
import { diffRoundsRoute } from "./routes/diff-rounds.ts";
import { diffSizesRoute } from "./routes/diff-sizes.ts";
import { diffSwitchRoute } from "./routes/diff-switch.ts";
import { diffSymbolsRoutes } from "./routes/diff-symbols.ts";
import { feedbackRoute } from "./routes/feedback.ts";
import { fileRoute } from "./routes/file.ts";
import { notebookRoutes } from "./routes/notebook.ts";
import { watchDiff } from "./watch-diff.ts";

/** Creates the mode of a code review: its routes, prerendering and decision formats. */
export function createCodeMode(review: CodeReview): ReviewMode {
  const { root, name, branch = "" } = review.diffs.repository;
  const sentDiffs = createSentDiffs(review.diffs);
  return {
    kind: "code",
    registerRoutes(app, context) {
      diffRoute(app, context, review);
      diffSwitchRoute(app, context, review);
      diffIndexRoute(app, context, review);
      diffPatchRoute(app, review);
      diffMovesRoute(app, review);
      diffMechanicalRoute(app, review);
      diffImageRoute(app, review);
      diffSizesRoute(app, review);
      fileRoute(app, review);
      notebookRoutes(app, review);
      commitRoutes(app, review);
      feedbackRoute(app, context, review);
      diffRoundsRoute(app, review);
      diffInterdiffRoute(app, review, sentDiffs);
      const endSymbols = diffSymbolsRoutes(app, review);
      const { events } = context;
      const stopWatching = watchDiff(review.diffs, {
        isWanted: () => events.isConnected,
        onOutdated: () => events.send({ event: "stale" }),
      });
      app.addHook("onClose", async () => {
        stopWatching();
        endSymbols();
        await review.diffs.close();
      });
    },
    prerender: createPrerender(review),
    // All diffs of a branch share one draft, so that a comment is kept when the diff type changes.
    draftKey: () => `code-${createHash("sha256").update(`${root}\0${branch}`).digest("hex").slice(0, 32)}`,
    history: async () => ({ rounds: [] }),
    namedImages: () => [],
    anchors: createCodeAnchors(review.diffs),
    firstRound: async () => 1,
    async refresh({ threads }, onTaken) {
      const current = await review.diffs.current();
      const { diffType } = current.snapshot.plan;
      current.release();
      const lease = await switchWithThreads(review.diffs, diffType, threads, onTaken);
      lease.release();
      return true;
    },
    async describeSubject(anchor) {
      const { describeSubject } = await import("./describe-subject.ts");
      return describeSubject(review.diffs, anchor);
    },
    keepSent: sentDiffs.keep,
    startLive(context) {
      void context.threads.opened
        ?.then((store) => followTakenOver(review.diffs, store, context))
        .catch(() => {});
      return () => {};
    },
    async approval({ origin }, feedback) {
      const body = { ...(feedback === "" ? {} : { feedback }), annotations: [], approved: true };
      const diff = await review.diffs.current().catch(() => undefined);
      const proposed = await proposeFeedback(body, diff, { origin, agents: [], repository: name }).finally(
        () => diff?.release(),
      );
      return { ...proposed, save: async () => ({ warnings: [] }), keepRound: async () => {} };
    },
    encode: async (decision) =>
      review.json ? JSON.stringify(feedbackJson(decision)) : codeDecision(decision).text,
    isObjection: asksForChanges,
    present(decision) {
      const { text } = codeDecision(decision);
      return { title: `Review of ${name}`, text, json: feedbackJson(decision) };
    },
  };
}

/**
 * Moves the threads of an earlier review to the first diff of this review. After a failure, they are outdated until
 * the next diff.
 */
export async function followTakenOver(
  diffs: CodeReview["diffs"],
  store: ThreadStore,
  { session, onNote }: Pick<ReviewContext, "session" | "onNote">,
): Promise<void> {
  if (store.log.threads.size === 0) return;
  try {
    const lease = await diffs.current();
    await followCode(store, undefined, lease).finally(lease.release);
  } catch (error) {
    if (session.phase !== "waiting") return;
    onNote?.(`Cannot find the lines of earlier threads, which are now outdated: ${getErrorMessage(error)}`);
    await store.follow(async ({ anchor }) => ({ anchor, outdated: anchor.kind !== "review" }));
  }
}

/** Returns the output of `--json`, with the specification's names and without absent members. */
function feedbackJson(decision: Decision): object {
  const { feedback, annotations, agentSwitch, approved } = codeDecision(decision);
  return {
    feedback,
    annotations,
    agentSwitch,
    approved: approved || undefined,
  };
}

/** Reports whether there is feedback or an annotation, and no approval. */
function asksForChanges(decision: Decision): boolean {
  const { feedback = "", annotations, approved = false } = codeDecision(decision);
  if (approved) return false;
  return feedback.trim() !== "" || annotations.length > 0;
}
