import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { History, PlanState } from "../../../src/review/api-types.ts";
import { explain, getJson } from "../../shared/api/client.ts";
import { renewPageToken } from "../../shared/api/page-token.ts";
import { setAskModel } from "../../shared/ask/ask-store.ts";
import { setTitle } from "../../shared/next-review.ts";
import { applyTheme } from "../../shared/theme/theme.ts";
import { loadReviews, loadThreads, useThreads } from "../../shared/threads/thread-store.ts";
import { setSource } from "./actions.ts";
import { startDraft } from "./draft.ts";
import { editedPlan, getSource, useReview } from "./review-store.ts";

/** Loads the plan, then the draft, the threads, the other open reviews and the earlier rounds. */
export async function load(): Promise<void> {
  const result = await getJson<PlanState>("/api/plan");
  if (!result.ok) {
    useReview.setState({ phase: "failed", failure: explain(result) });
    return;
  }
  const plan = forLive(result.value);
  applyTheme(plan.settings.theme);
  setTitle(`${plan.title}: plan review`);
  useReview.setState({
    plan,
    document: parseMarkdown(plan.plan),
    phase: plan.missing !== undefined || plan.plan.trim() === "" ? "missing" : "review",
  });
  if (location.hash.startsWith("#shared=")) useReview.setState({ dialog: "import" });
  setAskModel(plan.ask);
  if (plan.live) useThreads.setState({ live: plan.live });
  void startDraft(plan);
  void loadThreads();
  void loadReviews();
  if (plan.round > 1) void loadRounds();
}

/**
 * Checks which review is open when another server is running at this address. Continues if the plan is the same;
 * otherwise reports the plan as replaced.
 */
export async function handleServerChange(sessionId: string): Promise<void> {
  const known = useReview.getState().plan;
  if (!known || known.sessionId === sessionId) return;
  await renewPageToken();
  const result = await getJson<PlanState>("/api/plan");
  if (!result.ok) return;
  const plan = forLive(result.value);
  if (plan.planId !== known.planId) useReview.setState({ isReplaced: true });
  else {
    useThreads.setState({ live: plan.live });
    showPlan(plan);
    // A live plan is in another round if its file was saved while no server was running.
    if (plan.round !== known.round) void loadRounds();
  }
}

/** Shows another state of the plan. Keeps the person's own edits, which are sent as changes to the new text. */
export function showPlan(plan: PlanState): void {
  const isEdited = editedPlan(useReview.getState()) !== undefined;
  useReview.setState({ plan });
  if (!isEdited && plan.plan !== getSource(useReview.getState())) setSource(plan.plan);
}

/**
 * Returns the state of a plan. In a live review, removes the option to send an edited plan, which live reviews do
 * not support.
 */
export function forLive(plan: PlanState): PlanState {
  return plan.live ? { ...plan, caller: { ...plan.caller, takesEditedPlan: false } } : plan;
}

/** Loads the earlier rounds of this plan. */
export async function loadRounds(): Promise<void> {
  const result = await getJson<History>("/api/history");
  if (result.ok) useReview.setState({ rounds: result.value.rounds });
}
