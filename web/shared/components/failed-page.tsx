import { useState } from "react";
import { copyAndReport } from "../clipboard.ts";
import { IrreversibleButton } from "../irreversible/irreversible-button.tsx";
import { Button } from "./button.tsx";
import { ErrorLine } from "./error-line.tsx";
import { PageState } from "./page-state.tsx";
import { Toasts } from "./toast.tsx";

/** A decision that is still possible on a page that failed. */
export interface LastDecision {
  readonly label: string;
  /** Resolves to an error message, or to undefined once the decision is sent. */
  readonly send: () => Promise<string | undefined>;
}

interface FailedPageProps {
  readonly message: string;
  /** The person's comments, as they would be sent. */
  readonly comments: string;
  /** Empty if no decision is possible. */
  readonly decisions: readonly LastDecision[];
  /** The reason why the decision does not, or may not, reach the agent. */
  readonly doubt: { readonly title: string; readonly text: string } | undefined;
  /** Warnings in the server's response to the decision. */
  readonly warnings: readonly string[];
}

/** Replaces a page after a rendering failure with the person's comments as text and buttons for the decisions. */
export function FailedPage({ message, comments, decisions, doubt, warnings }: FailedPageProps) {
  const [sent, setSent] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  const decide = async ({ label, send }: LastDecision) => {
    setBusy(true);
    const failure = await send().catch((error: unknown) => String(error));
    setBusy(false);
    setProblem(failure);
    if (failure === undefined) setSent(label);
  };

  if (sent !== undefined) {
    return (
      <PageState title={`${doubt?.title ?? "Sent"}: ${sent}`}>
        <p>Your decision is saved on this machine{doubt === undefined && " and handed to the agent"}.</p>
        {[...(doubt === undefined ? [] : [doubt.text]), ...warnings].map((text) => (
          <p key={text} className="callout" role="alert">
            {text}
          </p>
        ))}
        <p className="hint">
          If the agent did not receive it, <code>sallyport review last</code> prints it again.
        </p>
      </PageState>
    );
  }
  return (
    <PageState
      title="This page has failed"
      actions={
        <>
          <Button onClick={() => location.reload()}>Reload the page</Button>
          {decisions.map((decision) => (
            <IrreversibleButton key={decision.label} disabled={busy} onPress={() => void decide(decision)}>
              {decision.label}
            </IrreversibleButton>
          ))}
        </>
      }
    >
      {decisions.length > 0 && (
        <p>
          No decision was sent, and everything you wrote is still here. Reload the page, or decide with the
          buttons below.
        </p>
      )}
      <p>Error: {message}</p>
      <ErrorLine error={problem} />
      {comments.trim() !== "" && <Comments text={comments} />}
      <Toasts />
    </PageState>
  );
}

function Comments({ text }: { readonly text: string }) {
  return (
    <section className="failed-comments" aria-label="Your comments">
      <div>
        <h2>Your comments</h2>
        <Button small onClick={() => void copyAndReport(text, "Comments copied")}>
          Copy
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre tabIndex={0}>{text.trim()}</pre>
    </section>
  );
}
