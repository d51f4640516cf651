import { useState } from "react";
import { Dialog } from "../../shared/components/dialog.tsx";
import { currentAnchor } from "../article/current-anchor.ts";
import { addAtOnce, openDialog } from "../state/actions.ts";
import { quickLabels } from "./annotations.ts";

/** Chooses a quick label by keyboard: its number, or Tab and Enter. */
export function LabelDialog() {
  // The dialog takes the focus, and with it the selection.
  const [anchor] = useState(currentAnchor);
  const close = () => openDialog(undefined);
  const choose = (label: string) => {
    close();
    if (anchor) addAtOnce("label", anchor, label);
    getSelection()?.removeAllRanges();
  };
  return (
    <Dialog title="Quick label" onClose={close}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same */}
      <div
        className="label-list"
        onKeyDown={(event) => {
          const label = quickLabels[Number(event.key) - 1];
          if (label) choose(label);
        }}
      >
        {quickLabels.map((label, index) => (
          <button
            key={label}
            type="button"
            className="menu-item"
            data-initial-focus={index === 0 || undefined}
            onClick={() => choose(label)}
          >
            {label} <kbd className="key">{index + 1}</kbd>
          </button>
        ))}
      </div>
    </Dialog>
  );
}
