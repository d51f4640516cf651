import type { Layout } from "../../../src/render/diff/row-model.ts";
import type { TabWidth } from "../../../src/review/api-types.ts";
import { explain } from "../../shared/api/client.ts";
import { announce, showToast } from "../../shared/components/toast.tsx";
import { loadDiff } from "../state/session.ts";
import { changeView, useView } from "../state/view.ts";

/** Shows the diff side by side or unified. */
export function setLayout(layout: Layout): void {
  changeView({ layout });
  announce(layout === "split" ? "Side by side" : "Unified");
}

/** Wraps long lines, or scrolls them horizontally. */
export function setWrap(wrap: boolean): void {
  changeView({ wrap });
  announce(wrap ? "Long lines are wrapped" : "Long lines scroll sideways (Shift+scroll)");
}

export const TAB_WIDTHS: readonly TabWidth[] = [2, 4, 8];

/** Changes the number of columns between two tab stops. */
export function setTabWidth(tabWidth: TabWidth): void {
  changeView({ tabWidth });
  announce(`Tabs are ${tabWidth} columns wide`);
}

/**
 * Shows or hides whitespace changes. Fetches the diff again, because the server leaves out the hidden changes. If this
 * fails, the page does not change.
 */
export async function setWhitespace(whitespace: boolean): Promise<void> {
  const before = useView.getState().whitespace;
  changeView({ whitespace });
  const result = await loadDiff(whitespace);
  if (!result.ok) {
    changeView({ whitespace: before });
    showToast(explain(result), { tone: "danger" });
    return;
  }
  announce(whitespace ? "Whitespace changes are shown" : "Whitespace changes are hidden");
}
