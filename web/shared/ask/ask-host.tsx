import { Region } from "../components/error-boundary.tsx";
import { later, WaitingDialog } from "../components/later.tsx";
import { useAsk } from "./ask-store.ts";

const AskDialog = later(async () => (await import("./ask-dialog.tsx")).AskDialog);

/**
 * Renders the open conversation with a model. The dialog's code is loaded when the browser is idle, or with
 * the first conversation.
 */
export function AskHost() {
  const about = useAsk((state) => state.about);
  if (!about) return null;
  return (
    <Region name="The conversation">
      <AskDialog
        fallback={<WaitingDialog onClose={() => useAsk.setState({ about: undefined })} />}
        about={about}
      />
    </Region>
  );
}
