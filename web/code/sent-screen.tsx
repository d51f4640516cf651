import { useEffect, useState } from "react";
import { copyText } from "../shared/clipboard.ts";
import { Button } from "../shared/components/button.tsx";
import { PageState } from "../shared/components/page-state.tsx";
import { dismissAll } from "../shared/components/toast.tsx";
import { useSession } from "./state/session.ts";

/** The end: what was sent, word for word, and that the tab can go. It never closes by itself. */
export function SentScreen() {
  const sent = useSession((session) => session.sent);
  const caller = useSession((session) => session.index?.caller.name ?? "the agent");
  const [copied, setCopied] = useState(false);
  useEffect(dismissAll, []);
  useEffect(() => {
    document.title = sent?.approved ? "Approved" : "Feedback sent";
  }, [sent]);
  if (!sent) return null;
  const copy = async () => setCopied(await copyText(sent.feedback));
  return (
    <PageState
      title={sent.approved ? "Approved" : "Feedback sent"}
      actions={<Button onClick={copy}>{copied ? "Copied" : "Copy what was sent"}</Button>}
    >
      <p>It is saved on this machine and handed to {caller}. You can close this tab.</p>
      <details className="sent-text">
        <summary>What was sent</summary>
        <pre>{sent.feedback}</pre>
      </details>
    </PageState>
  );
}
