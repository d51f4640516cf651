import { BatchDialog, FinishDialog } from "../../shared/threads/batch-dialogs.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { openDialog } from "../state/actions.ts";
import { collectComments, keepSent, showFinished } from "./live.ts";

/** Renders the dialogs of a live session, which replace those of a one-shot review. */
export function LiveDialog({ name }: { readonly name: "request-changes" | "approve" }) {
  const agent = useThreads(({ live }) => live?.agent.name ?? "");
  const shared = {
    caller: agent || "the agent",
    collect: collectComments,
    onClose: () => openDialog(undefined),
  };
  if (name === "request-changes") return <BatchDialog {...shared} onSent={keepSent} />;
  return <FinishDialog {...shared} onFinished={showFinished} />;
}
