import { computeGaps, type Gap } from "../../../src/render/diff/row-model.ts";
import { explain } from "../../shared/api/client.ts";
import { showToast } from "../../shared/components/toast.tsx";
import type { FileBody } from "../core/rows/file-body.ts";
import { loadFileText, useSession } from "../state/session.ts";
import { changeExpansions, keepText, useView } from "../state/view.ts";

/** Number of lines that one step shows above or below a gap's bar. */
export const EXPAND_STEP = 20;

/** Returns the gap before the hunk with the index `gap`, or after the last hunk; undefined if there is none. */
export function gapAt(body: FileBody, gap: number): Gap | undefined {
  if (!body.patch) return undefined;
  return computeGaps(body.patch, body.text?.length, false)[gap];
}

/** Shows more lines of a gap: `above` its bar (after the previous hunk), `below` it (before the next hunk), or all. */
export async function expandGap(
  body: FileBody,
  gap: number,
  where: "above" | "below" | "all",
): Promise<void> {
  if (!(await ensureText(body.file.path))) return;
  const step = where === "all" ? Number.MAX_SAFE_INTEGER / 4 : EXPAND_STEP;
  changeExpansions(body.file.path, (gaps) => {
    const shown = gaps.get(gap) ?? { above: 0, below: 0 };
    const grown =
      where === "below" ? { ...shown, below: shown.below + step } : { ...shown, above: shown.above + step };
    gaps.set(gap, grown);
  });
}

/** Shows all lines of a file, or all cells of a notebook. */
export async function expandAll(body: FileBody): Promise<void> {
  if (body.notebook) {
    const { openAll } = await import("../state/load-notebook.ts");
    openAll(body.file);
    return;
  }
  const count = (body.patch?.hunks.length ?? 0) + 1;
  for (let gap = 0; gap < count; gap++) {
    if (gapAt(body, gap)) await expandGap(body, gap, "all");
  }
}

/**
 * Fetches the new side of a file if it is not loaded. Returns false if it is not available. Shows a toast if the
 * request fails.
 */
export async function ensureText(path: string): Promise<boolean> {
  if (useView.getState().texts.has(path)) return true;
  const file = useSession.getState().files.find((each) => each.path === path);
  if (file?.hunksOnly) return false;
  const result = await loadFileText(path, "new");
  if (!result.ok) {
    showToast(`Cannot load the surrounding lines: ${explain(result)}`, { tone: "danger" });
    return false;
  }
  keepText(path, result.value.text);
  return true;
}
