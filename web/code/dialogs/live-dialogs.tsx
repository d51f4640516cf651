import { BatchDialog, FinishDialog } from "../../shared/threads/batch-dialogs.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { collectComments, keepSent, showFinished } from "../state/live.ts";
import { openDialog } from "../state/view.ts";

/** Renders the dialogs of a live session, which replace those of a one-shot review. */
export function LiveDialog({ name }: { readonly name: "send" | "approve" }) {
  const agent = useThreads(({ live }) => live?.agent.name ?? "");
  const shared = {
    caller: agent || "the agent",
    collect: collectComments,
    onClose: () => openDialog("none"),
  };
  if (name === "send") return <BatchDialog {...shared} onSent={keepSent} />;
  return <FinishDialog {...shared} onFinished={showFinished} />;
}
