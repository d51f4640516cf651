import { useEffect, useState } from "react";
import { describeDoubt } from "../shared/caller-doubt.ts";
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
  const doubt = useSession((session) => session.doubt);
  if (!sent) return null;
  const copy = async () => setCopied(await copyText(sent.feedback));
  return (
    <PageState
      title={sent.approved ? "Approved" : "Feedback sent"}
      actions={<Button onClick={copy}>{copied ? "Copied" : "Copy what was sent"}</Button>}
    >
      <p>
        {doubt
          ? `It is saved on this machine. ${describeDoubt(caller, doubt)} \`sallyport review last\` prints it.`
          : `It is saved on this machine and handed to ${caller}.`}{" "}
        If you leave this tab open, the next review of this project opens here.
      </p>
      <details className="sent-text">
        <summary>What was sent</summary>
        <pre>{sent.feedback}</pre>
      </details>
    </PageState>
  );
}
