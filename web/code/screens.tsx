import { useEffect, useState } from "react";
import { withDeceptionsShown } from "../../src/render/markdown/deceptive.ts";
import { describeDoubt, undeliveredTitle } from "../shared/caller-doubt.ts";
import { copyText } from "../shared/clipboard.ts";
import { Button } from "../shared/components/button.tsx";
import { PageState } from "../shared/components/page-state.tsx";
import { dismissAll } from "../shared/components/toast.tsx";
import { chooseDiff } from "./header/diff-select.tsx";
import { setWhitespace } from "./header/view-actions.ts";
import { comparedCommand } from "./state/diff-label.ts";
import { useSession } from "./state/session.ts";
import { useView } from "./state/view.ts";

/** Renders the reason why the diff is empty and offers other diffs. */
export function EmptyDiff() {
  const index = useSession((session) => session.index);
  const since = useSession((session) => session.since);
  const whitespace = useView((view) => view.whitespace);
  if (!index) return null;
  if (since !== undefined) {
    return (
      <main id="diff" className="empty" tabIndex={-1}>
        <h2>Nothing has changed since your feedback</h2>
      </main>
    );
  }
  const others = index.gitContext.diffOptions.filter(({ id }) => id !== index.diffType);
  return (
    <main id="diff" className="empty" tabIndex={-1}>
      <h2>No changes here</h2>
      <p>
        <code>{comparedCommand(index)}</code> is empty in {index.repository.name}
        {index.paths && (
          <>
            {" "}
            for <code>{withDeceptionsShown(index.paths.join(" "))}</code>, which this review is limited to
          </>
        )}
        {whitespace ? "." : ", whitespace changes hidden."}
      </p>
      <p className="empty-actions">
        {!whitespace && <Button onClick={() => void setWhitespace(true)}>Show whitespace changes</Button>}
        {others.map(({ id, label }) => (
          <Button key={id} onClick={() => void chooseDiff(id)}>
            {label}
          </Button>
        ))}
      </p>
    </main>
  );
}

function sentTitle({ approved, isLive }: { readonly approved: boolean; readonly isLive?: true }): string {
  if (approved) return "Approved";
  return isLive ? "Review finished" : "Feedback sent";
}

/**
 * Returns instructions to deliver feedback that the agent might not read. The instructions differ for a live review
 * that ended without approval, because no decision is recorded for it.
 */
function remedy({ approved, isLive }: { readonly approved: boolean; readonly isLive?: true }): string {
  if (isLive && !approved)
    return "The feedback is saved on this machine. To deliver it, let the agent run `sallyport review wait` with the id of this review.";
  return "The feedback is saved on this machine. To deliver it, paste it into the agent's terminal, or let the agent run `sallyport review last`.";
}

/** Renders the final screen: the result, its warnings and the feedback that was sent. */
export function SentScreen() {
  const sent = useSession((session) => session.sent);
  const caller = useSession((session) => session.index?.caller.name ?? "the agent");
  const [copied, setCopied] = useState(false);
  useEffect(dismissAll, []);
  const doubt = useSession((session) => session.doubt);
  const title = sent && (doubt ? undeliveredTitle(doubt) : sentTitle(sent));
  useEffect(() => {
    document.title = title ?? "";
  }, [title]);
  if (!sent || title === undefined) return null;
  const copy = async () => setCopied(await copyText(sent.feedback));
  return (
    <PageState
      title={title}
      actions={
        sent.feedback !== "" && <Button onClick={copy}>{copied ? "Copied" : "Copy the feedback"}</Button>
      }
    >
      <p>
        {doubt
          ? `${describeDoubt(caller, doubt)} ${remedy(sent)}`
          : `The result is saved on this machine and handed to ${caller}.`}{" "}
        If you leave this tab open, the next review of this project opens here.
      </p>
      {sent.warnings.map((warning) => (
        <p key={warning} className="callout">
          {warning}
        </p>
      ))}
      {sent.feedback !== "" && (
        <details className="sent-text">
          <summary>Sent feedback</summary>
          <pre>{sent.feedback}</pre>
        </details>
      )}
    </PageState>
  );
}
