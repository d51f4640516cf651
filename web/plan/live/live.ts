import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { CallerDoubt, PlanState } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import type { CommentToSend } from "../../shared/threads/send-batch.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { inDocumentOrder, threadAsText, threadBody } from "../model/annotations.ts";
import { relocate } from "../model/relocate.ts";
import { comparePlans } from "../rounds/compare-plans.ts";
import { forgetAnnotation, saveComposer } from "../state/actions.ts";
import { forLive, loadRounds, showPlan } from "../state/load.ts";
import { editedPlan, useReview } from "../state/review-store.ts";

/**
 * Shows the plan of a new round. Keeps the person's unsent text. Resolves to a description of the changes, or to
 * undefined if the plan cannot be loaded.
 */
export async function showRound(): Promise<string | undefined> {
  const before = useReview.getState();
  const result = await getJson<PlanState>("/api/plan");
  if (!result.ok || !before.plan) return undefined;
  const plan = forLive(result.value);
  showPlan(plan);
  await loadRounds();
  const { sent } = useThreads.getState();
  const earlier = useReview.getState().rounds.findLast(({ round }) => round === sent?.round);
  const since = earlier?.plan ?? before.plan.plan;
  const { count } = comparePlans(parseMarkdown(since), parseMarkdown(plan.plan));
  const parts = count === 1 ? "1 part" : `${count} parts`;
  return `${parts} changed since ${earlier ? "you sent" : "the last round"}`;
}

/** Clears the text that was sent with a batch, and stores which round was under review when it was sent. */
export function keepSent(): void {
  const { live } = useThreads.getState();
  useReview.setState({ note: "", rewritten: undefined, earlierEdit: undefined });
  useThreads.setState({ news: undefined, sent: { round: live?.round ?? 1 } });
}

/** Returns the annotations as threads on the plan that the agent has. */
export async function collectComments(): Promise<readonly CommentToSend[]> {
  saveComposer();
  const state = useReview.getState();
  const isEdited = editedPlan(state) !== undefined;
  const round = state.plan?.round;
  const sent = isEdited ? parseMarkdown(state.plan?.plan ?? "") : undefined;
  return inDocumentOrder(state.annotations).map((annotation) => {
    const { anchor } = annotation;
    const found = sent && anchor && !anchor.removed ? relocate(sent, anchor) : anchor;
    const asText = threadAsText(annotation);
    const body =
      anchor && !found
        ? { ...threadBody({ ...annotation, anchor: { ...anchor, end: anchor.start } }), markdown: asText }
        : threadBody(found ? { ...annotation, anchor: found } : annotation);
    return {
      id: annotation.id,
      body: { ...body, ...(round !== undefined && { round }) },
      asText,
      onStored: () => forgetAnnotation(annotation.id),
    };
  });
}

/** Shows the final screen after the live review was finished. */
export function showFinished(approved: boolean, feedback: string, doubt: CallerDoubt | undefined): void {
  useReview.setState({
    phase: "done",
    dialog: undefined,
    outcome: approved
      ? { kind: "approved", feedback, response: { ok: true, ...(doubt && { doubt }) } }
      : { kind: "finished", feedback, doubt },
  });
}
