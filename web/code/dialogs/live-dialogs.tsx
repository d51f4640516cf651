import { BatchDialog, FinishDialog } from "../../shared/threads/batch-dialogs.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { collectComments, keepSent, showFinished } from "../state/live.ts";
import { useSession } from "../state/session.ts";
import { openDialog } from "../state/view.ts";

/** Renders the dialogs of a live session, which replace those of a one-shot review. */
export function LiveDialog({ name }: { readonly name: "send" | "approve" }) {
  const agent = useThreads(({ live }) => live?.agent.name ?? "");
  const caller = useSession(({ index }) => index?.caller.name ?? "the agent");
  const shared = { caller: agent || caller, collect: collectComments, onClose: () => openDialog("none") };
  if (name === "send") return <BatchDialog {...shared} onSent={keepSent} />;
  return <FinishDialog {...shared} onFinished={showFinished} />;
}
