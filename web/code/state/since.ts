import { findLine } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { Widget } from "../../../src/render/diff/row-model.ts";
import type { AnnotationPosition, RoundAnnotation } from "../../../src/review/api-types.ts";
import { explain } from "../../shared/api/client.ts";
import { announce, showToast } from "../../shared/components/toast.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { formatLines } from "../core/feedback.ts";
import { fileAt } from "./positions.ts";
import { useRounds } from "./rounds.ts";
import { loadDiff, showSince, useSession } from "./session.ts";
import { useView } from "./view.ts";

/** Switches between the changes since the last feedback and the whole diff. */
export async function toggleSince(): Promise<void> {
  if (useSession.getState().since !== undefined) {
    await showWhole();
    return;
  }
  const result = await showSince();
  if (!result.ok) showToast(explain(result));
  else announce(`Changes since your feedback on round ${result.value.round}`);
}

/** Shows the whole diff again. Resolves to whether this has succeeded. */
export async function showWhole(): Promise<boolean> {
  const result = await loadDiff(useView.getState().whitespace);
  if (result.ok) announce("The whole diff");
  else showToast(`Still showing the changes since your feedback: ${explain(result)}`, { tone: "danger" });
  return result.ok;
}

/** A comment of the last round, with the state of its lines or file and the widget that shows it. */
export interface EarlierComment {
  readonly annotation: RoundAnnotation;
  readonly state: string;
  readonly widget: Widget;
}

const NONE: readonly EarlierComment[] = [];

/** Returns the comments of the last round while the changes since that round are shown. */
export function earlierComments(): readonly EarlierComment[] {
  const { rounds, positions } = useRounds.getState();
  const last = rounds.at(-1);
  // In a live review, the threads themselves are shown at their lines.
  if (!last || last.round !== useSession.getState().since || useThreads.getState().live) return NONE;
  return last.annotations.map((annotation) => {
    const position = positions.get(annotation.id);
    const { filePath, side } = annotation;
    const line = position && side === "new" && isShown(filePath, position.lineEnd) ? position.lineEnd : 0;
    return {
      annotation,
      // A comment without code is on a whole file, or its lines could not be read when it was sent. The files that are
      // shown have all changed.
      state: annotation.code === undefined ? "file changed since" : describeState(annotation, position),
      widget: { key: `${filePath}:new:${line}`, side: "new", line },
    };
  });
}

function isShown(path: string, line: number): boolean {
  const { files, patches } = useSession.getState();
  const patch = patches?.get(fileAt(files, path)?.index ?? -1);
  return patch !== undefined && findLine(patch, "new", line) >= 0;
}

/** Describes the state of the lines of an earlier comment that has code. */
export function describeState(annotation: RoundAnnotation, position: AnnotationPosition | undefined): string {
  if (position?.applied) return "suggestion applied";
  if (!position) return "these lines have changed since";
  const { lineStart, lineEnd } = position;
  return lineStart === annotation.lineStart
    ? "lines unchanged since"
    : `now ${formatLines(lineStart, lineEnd)}, unchanged`;
}
