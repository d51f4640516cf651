import { shiftAt } from "../../../src/render/diff/patch/parsed-patch.ts";
import { gapsOf } from "../../../src/render/diff/row-model.ts";
import type { ReviewComment } from "../core/comment.ts";
import { useComments } from "../state/comments.ts";
import { currentPosition } from "../state/positions.ts";
import { loadFileText, useSession } from "../state/session.ts";
import { changeExpansions, keepText } from "../state/view.ts";

/** Lines shown on each side of a comment between the hunks. */
const AROUND = 3;

/**
 * Shows the lines around comments that are between the hunks. Fetches the whole file once its patch is loaded and
 * does not contain the lines. Returns a function that stops it.
 */
export function showCommentedContext(): () => void {
  const asked = new Set<string>();
  const look = () => {
    const { index } = useSession.getState();
    for (const comment of useComments.getState().comments) {
      const key = `${index?.diffId} ${comment.id}`;
      if (asked.has(key) || comment.diff.type !== index?.diffType || !isMissing(comment)) continue;
      asked.add(key);
      void open(comment);
    }
  };
  const stops = [
    useSession.subscribe((state, before) => {
      if (state.patchVersion !== before.patchVersion) look();
    }),
    useComments.subscribe((state, before) => {
      if (state.comments.length !== before.comments.length) look();
    }),
  ];
  look();
  return () => {
    for (const stop of stops) stop();
  };
}

function isMissing(comment: ReviewComment): boolean {
  return comment.place !== undefined && currentPosition(comment).state === "lost";
}

async function open(comment: ReviewComment): Promise<void> {
  const { files, patches } = useSession.getState();
  const file = files.find(({ path }) => path === comment.path);
  if (!file) return;
  const result = await loadFileText(file.path, "new");
  const patch = patches?.get(file.index);
  if (!result.ok || !patch) return;
  const { text } = result.value;
  keepText(file.path, text);
  const position = currentPosition(comment);
  if (position.state !== "context") return;
  const shift = comment.place?.side === "old" ? shiftAt(patch, "old", position.start) : 0;
  const [start, end] = [position.start + shift, position.end + shift];
  const gaps = gapsOf(patch, text.split("\n").length, false);
  const at = gaps.findIndex((gap) => gap && start >= gap.newStart && start < (gap.newEnd ?? 0));
  const gap = gaps[at];
  if (!gap) return;
  changeExpansions(file.path, (opened) => {
    const shown = opened.get(at) ?? { above: 0, below: 0 };
    opened.set(at, { ...shown, above: Math.max(shown.above, end - gap.newStart + 1 + AROUND) });
  });
}
