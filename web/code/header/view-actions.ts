import { explain } from "../../shared/api/client.ts";
import { announce, showToast } from "../../shared/components/toast.tsx";
import type { Layout } from "../core/rows/row-model.ts";
import { loadDiff } from "../state/session.ts";
import { changeView, useView } from "../state/view.ts";

/** Shows both sides beside each other, or one beneath the other. */
export function setLayout(layout: Layout): void {
  changeView({ layout });
  announce(layout === "split" ? "Side by side" : "Unified");
}

/** Wraps long lines, or keeps each whole. */
export function setWrap(wrap: boolean): void {
  changeView({ wrap });
  announce(
    wrap
      ? "Long lines are wrapped"
      : "Lines are kept whole; the bar below, or Shift and the wheel, moves them sideways",
  );
}

/** git itself leaves the white space out, so the diff is fetched anew; a failure leaves everything as it was. */
export async function setWhitespace(whitespace: boolean): Promise<void> {
  const before = useView.getState().whitespace;
  changeView({ whitespace });
  const result = await loadDiff(whitespace);
  if (!result.ok) {
    changeView({ whitespace: before });
    showToast(explain(result), { tone: "danger" });
    return;
  }
  announce(whitespace ? "Changes of white space are shown" : "Changes of white space are hidden");
}
