import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { openDialog } from "../state/actions.ts";
import { SaveOptions } from "./save-options.tsx";

/** Where plans are saved, apart from a decision. */
export function SaveDialog() {
  const close = () => openDialog(undefined);
  return (
    <Dialog
      title="Save settings"
      onClose={close}
      footer={
        <Button variant="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <p className="hint">
        Remembered for all later reviews. Plans that are sent back are kept in the folder alone.
      </p>
      <SaveOptions />
    </Dialog>
  );
}
