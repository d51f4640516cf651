import type { CodeAnnotation } from "../../../src/review/api-types.ts";
import { copyAndReport } from "../../shared/clipboard.ts";
import { inFileOrder, type ReviewComment } from "../core/comment.ts";
import { type FeedbackContext, feedbackMarkdown, toAnnotations } from "../core/feedback.ts";
import { nonEmptyComments, useComments } from "./comments.ts";
import { comparedCommand, diffLabel } from "./diff-label.ts";
import { useEditedFeedback } from "./edited-feedback.ts";
import { ensureNotebook, isNotebook, loadedNotebook } from "./notebooks.ts";
import { currentPosition, fileAt } from "./positions.ts";
import { useSession } from "./session.ts";

export interface Feedback {
  readonly markdown: string;
  readonly annotations: readonly CodeAnnotation[];
  readonly count: number;
}

/** Composes the feedback. Fetches the patches and notebooks that are needed for line numbers. */
export async function composeFeedback(): Promise<Feedback> {
  const { comments, context } = await commentsInOrder();
  return {
    markdown: comments.length === 0 ? "" : feedbackMarkdown(comments, context),
    annotations: toAnnotations(comments, getCurrentLines),
    count: comments.length,
  };
}

/**
 * Returns the comments in file order, with the context of their positions. Fetches the patches and the notebooks of the
 * commented files.
 */
export async function commentsInOrder(): Promise<{
  readonly comments: readonly ReviewComment[];
  readonly context: FeedbackContext;
}> {
  const { files, patches, index } = useSession.getState();
  const orderByPath = new Map(files.map(({ path }, order) => [path, order]));
  const comments = inFileOrder(
    nonEmptyComments(useComments.getState().comments),
    (path) => orderByPath.get(path) ?? files.length,
  );
  const commented = new Set(comments.map(({ path }) => path));
  const wanted = files.filter(({ path }) => commented.has(path)).map((file) => file.index);
  const notebooks = files.filter((file) => commented.has(file.path) && isNotebook(file));
  await Promise.all([...wanted.map((at) => patches?.ensure(at)), ...notebooks.map(ensureNotebook)]);
  const context: FeedbackContext = {
    repository: index?.repository ?? { name: "", root: "" },
    branch: index?.gitContext.currentBranch ?? "",
    diff: {
      type: index?.diffType ?? "",
      label: diffLabel(index, index?.diffType ?? ""),
      command: index ? comparedCommand(index) : "",
    },
    currentPosition: getCurrentLines,
    cellPosition: getCellPosition,
  };
  return { comments, context };
}

function getCurrentLines(comment: ReviewComment): { start: number; end: number } | undefined {
  const position = currentPosition(comment);
  return "start" in position ? { start: position.start, end: position.end } : undefined;
}

/**
 * Describes the position of a comment in a notebook's cell, whether the comment was made by cells or in the raw diff.
 */
function getCellPosition(comment: ReviewComment): string | undefined {
  const { place: anchor, path } = comment;
  if (!anchor) return undefined;
  const lines = getCurrentLines(comment) ?? anchor;
  const notebook = loadedNotebook(fileAt(useSession.getState().files, path))?.view?.text;
  return notebook?.describe(anchor.side, lines.start, lines.end);
}

/** Copies the feedback to the clipboard, as edited if the comments have not changed since the edit. */
export async function copyFeedback(): Promise<void> {
  const { edited } = useEditedFeedback.getState();
  const { markdown } = await composeFeedback();
  await copyMarkdown(edited?.composed === markdown ? edited.text : markdown);
}

export async function copyMarkdown(markdown: string): Promise<void> {
  await copyAndReport(markdown, "Feedback copied as Markdown");
}
