import { useEffect, useState } from "react";
import { describeDoubt, undeliveredTitle } from "../shared/caller-doubt.ts";
import { FailedPage } from "../shared/components/failed-page.tsx";
import { NO_CHANGES_REQUESTED } from "./core/feedback.ts";
import { nonEmptyComments, useComments } from "./state/comments.ts";
import { composeFeedback, type Feedback } from "./state/compose-feedback.ts";
import { decide } from "./state/decide.ts";
import { useSession } from "./state/session.ts";

/**
 * Renders the page after a rendering failure: the comments, and the decisions that are still possible. Uses no other
 * component of the page.
 */
export function FailedReview({ message }: { readonly message: string }) {
  const isOpen = useSession((session) => session.phase !== "sent");
  const comments = useComments((state) => state.comments);
  const [markdown, setMarkdown] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the feedback is composed from the comments
  useEffect(() => {
    void feedback().then(({ markdown }) => setMarkdown(markdown));
  }, [comments]);
  const count = nonEmptyComments(comments).length;
  const approval = { label: count === 0 ? "Approve" : "Approve without comments", send: approve };
  const decisions = count === 0 ? [approval] : [approval, { label: "Send feedback", send: sendFeedback }];
  const name = useSession((session) => session.index?.caller.name ?? "the agent");
  const doubt = useSession((session) => session.doubt);
  const warnings = useSession((session) => session.sent?.warnings ?? NO_WARNINGS);
  return (
    <FailedPage
      message={message}
      comments={markdown}
      decisions={isOpen ? decisions : []}
      doubt={doubt && { title: undeliveredTitle(doubt), text: describeDoubt(name, doubt) }}
      warnings={warnings}
    />
  );
}

const NO_WARNINGS: readonly string[] = [];

const approve = () =>
  decide({ feedback: NO_CHANGES_REQUESTED, complete: true, approved: true, annotations: [] }, true);

async function sendFeedback(): Promise<string | undefined> {
  const { markdown, annotations } = await feedback();
  return decide({ feedback: markdown, complete: true, annotations }, false);
}

/** Returns the composed feedback, or the path and texts of each comment if composing the feedback fails. */
async function feedback(): Promise<Pick<Feedback, "markdown" | "annotations">> {
  try {
    return await composeFeedback();
  } catch {
    const written = nonEmptyComments(useComments.getState().comments);
    const markdown = written
      .map(({ path, text, suggestion }) => [path, text, suggestion].filter(Boolean).join("\n\n"))
      .join("\n\n");
    return { markdown, annotations: [] };
  }
}
