import { EllipsisVertical, FileDown, FileInput, Keyboard, Link, Printer, Save } from "lucide-react";
import { Menu, MenuItem } from "../../shared/components/menu.tsx";
import { download } from "../../shared/download.ts";
import { openDialog } from "../state/actions.ts";
import { getSource, useReview } from "../state/review-store.ts";

/** Renders the menu of less frequent actions. */
export function MoreMenu() {
  const sharing = useReview((state) => state.plan?.sharingEnabled ?? false);
  return (
    <Menu
      label="More"
      triggerClass="button button-quiet button-icon"
      trigger={<EllipsisVertical size={17} aria-hidden />}
    >
      {sharing && (
        <MenuItem onSelect={() => openDialog("share")}>
          <Link size={16} aria-hidden /> Share …
        </MenuItem>
      )}
      <MenuItem onSelect={() => openDialog("import")}>
        <FileInput size={16} aria-hidden /> Import comments …
      </MenuItem>
      <MenuItem onSelect={() => openDialog("save")}>
        <Save size={16} aria-hidden /> Save settings …
      </MenuItem>
      <MenuItem onSelect={downloadPlan}>
        <FileDown size={16} aria-hidden /> Download Markdown
      </MenuItem>
      <MenuItem onSelect={() => window.print()}>
        <Printer size={16} aria-hidden /> Print
      </MenuItem>
      <hr />
      <MenuItem onSelect={() => openDialog("shortcuts")}>
        <Keyboard size={16} aria-hidden /> Keyboard shortcuts <kbd className="key">?</kbd>
      </MenuItem>
    </Menu>
  );
}

/** Saves the plan, with the person's edits, as a Markdown file. */
export function downloadPlan(): void {
  const state = useReview.getState();
  download(new Blob([getSource(state)], { type: "text/markdown" }), `${state.plan?.title ?? "plan"}.md`);
}
