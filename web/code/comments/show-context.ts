import {
  findLine,
  type ParsedPatch,
  type Side,
  shiftAt,
} from "../../../src/render/diff/patch/parsed-patch.ts";
import { computeGaps } from "../../../src/render/diff/row-model.ts";
import type { DiffFile, Thread } from "../../../src/review/api-types.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import type { ReviewComment } from "../core/comment.ts";
import { useComments } from "../state/comments.ts";
import { currentPosition, fileAt } from "../state/positions.ts";
import { loadFileText, useSession } from "../state/session.ts";
import { changeExpansions, keepText } from "../state/view.ts";

/** Number of lines of a gap shown after the requested lines. All lines before them are shown. */
const AROUND = 3;

/**
 * Shows the lines between the hunks on which there are threads, or comments made on the shown diff. Returns a function
 * that unsubscribes.
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
    for (const thread of useThreads.getState().threads) {
      const key = `${index?.diffId} ${thread.id}`;
      if (asked.has(key)) continue;
      const found = betweenHunks(thread);
      if (found === undefined) continue;
      asked.add(key);
      void openThread(found);
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
  stops.push(
    useThreads.subscribe((state, before) => {
      if (state.threads.length !== before.threads.length) look();
    }),
  );
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
  showLines(
    { file, patch, side: comment.place?.side ?? "new", start: position.start, end: position.end },
    text,
  );
}

/** Lines of one side of a file between the hunks. */
interface LinesBetween {
  readonly file: DiffFile;
  readonly patch: ParsedPatch;
  readonly side: Side;
  readonly start: number;
  readonly end: number;
}

/** Returns the lines of a thread if the file's patch is loaded and does not contain the last of them. */
function betweenHunks({ anchor, outdated }: Thread): LinesBetween | undefined {
  if (anchor.kind !== "lines" || outdated) return undefined;
  const { files, patches } = useSession.getState();
  const file = fileAt(files, anchor.path);
  const patch = file && patches?.get(file.index);
  const { side, lineStart: start, lineEnd: end } = anchor;
  return patch && findLine(patch, side, end) < 0 ? { file, patch, side, start, end } : undefined;
}

async function openThread(lines: LinesBetween): Promise<void> {
  const result = await loadFileText(lines.file.path, "new");
  if (!result.ok) return;
  keepText(lines.file.path, result.value.text);
  showLines(lines, result.value.text);
}

/** Shows a line of the new side between the hunks, with the lines around it. */
export async function showLinesAround(file: DiffFile, patch: ParsedPatch, number: number): Promise<void> {
  const result = await loadFileText(file.path, "new");
  if (!result.ok) return;
  keepText(file.path, result.value.text);
  showLines({ file, patch, side: "new", start: number, end: number }, result.value.text);
}

function showLines({ file, patch, side, start: from, end: to }: LinesBetween, text: string): void {
  const shift = side === "old" ? shiftAt(patch, "old", from) : 0;
  const [start, end] = [from + shift, to + shift];
  const gaps = computeGaps(patch, text.split("\n").length, false);
  const at = gaps.findIndex((gap) => gap && start >= gap.newStart && start < (gap.newEnd ?? 0));
  const gap = gaps[at];
  if (!gap) return;
  changeExpansions(file.path, (opened) => {
    const shown = opened.get(at) ?? { above: 0, below: 0 };
    opened.set(at, { ...shown, above: Math.max(shown.above, end - gap.newStart + 1 + AROUND) });
  });
}
