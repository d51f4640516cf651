import { diffArrays } from "diff/lib/diff/array.js";
import { detectLanguage } from "../../../src/render/diff/text/language.ts";
import { shownLength } from "../../../src/render/diff/text/segments.ts";
import { withClosedFence } from "../../../src/render/markdown/closed-fences.ts";
import { codeSpan, fenced } from "../../../src/render/markdown/fences.ts";
import type { CodeAnnotation } from "../../../src/review/api-types.ts";
import { changesCode, type LineAnchor, type ReviewComment } from "./comment.ts";

/** The feedback that "Approve" sends. */
export const NO_CHANGES_REQUESTED = "Code review completed: approved, no changes requested.";

export interface FeedbackContext {
  readonly repository: { readonly name: string; readonly root: string };
  readonly branch: string;
  /** The current diff: its type, its label, and the command that prints it or a description of a diff without one. */
  readonly diff: { readonly type: string; readonly label: string; readonly command: string };
  /** Returns the current lines of a comment; undefined if they are not in the diff. */
  readonly currentPosition: (
    comment: ReviewComment,
  ) => { readonly start: number; readonly end: number } | undefined;
  /** Describes the position of a comment's lines in a cell, if its file is a notebook. */
  readonly cellPosition?: (comment: ReviewComment) => string | undefined;
}

/** Formats comments as Markdown for the agent, in the given order. */
export function feedbackMarkdown(comments: readonly ReviewComment[], context: FeedbackContext): string {
  const parts = [heading(comments.length, context)];
  let section: string | undefined;
  comments.map(withoutEmptySuggestion).forEach((comment, index) => {
    const title = comment.path === undefined ? "General" : codeSpan(comment.path);
    if (title !== section) parts.push(`## ${title}`);
    section = title;
    parts.push(...formatItem(comment, index + 1, context));
  });
  return `${parts.join("\n\n")}\n`;
}

/** Turns a suggestion that changes no code into a comment. */
export function withoutEmptySuggestion(comment: ReviewComment): ReviewComment {
  const { suggestion, ...rest } = comment;
  return suggestion === undefined || changesCode(comment) ? comment : { ...rest, type: "comment" };
}

function heading(count: number, { repository, branch, diff }: FeedbackContext): string {
  const items = count === 1 ? "1 item" : `${count} items`;
  return [
    "# Code review feedback",
    `A reviewer read ${codeSpan(diff.command)} of ${codeSpan(repository.name)} ` +
      `(${diff.label}, branch ${codeSpan(branch)}) and left ${items}. ` +
      "Address each of them: apply suggestions as written, resolve concerns, and answer comments by changing the code " +
      "or explaining why not. " +
      `Paths start at ${codeSpan(repository.root)}. Lines are counted in the file after the change (new side) or ` +
      "before it (old side).",
  ].join("\n\n");
}

function formatItem(comment: ReviewComment, number: number, context: FeedbackContext): string[] {
  const [title = "", ...parts] = feedbackItem(comment, context);
  return [`### ${number}. ${title}`, ...parts];
}

/** Formats one comment as Markdown blocks: its type and position, then the code, the text and the suggestion. */
export function feedbackItem(comment: ReviewComment, context: FeedbackContext): string[] {
  const type = comment.type[0]?.toUpperCase() + comment.type.slice(1);
  if (!comment.place) {
    const what = comment.path === undefined ? "the whole change" : "the whole file";
    return [`${type} on ${what}`, ...contextLines(comment, context), ...formatBody(comment)];
  }
  const now = context.currentPosition(comment);
  const position = now ?? comment.place;
  const side = comment.place.side === "new" ? "new side" : "old side: before the change";
  const cell = context.cellPosition?.(comment);
  const inCell = cell === undefined ? "" : `: ${cell}`;
  const parts = [`${type} on ${formatLines(position.start, position.end)} (${side})${inCell}`];
  parts.push(...contextLines(comment, context));
  if (comment.suggestion === undefined) {
    const language = comment.place.cell === undefined ? detectLanguage(comment.path ?? "") : "text";
    parts.push(fenced(`${quoted(comment.place.lines)}\n`, language === "text" ? "" : language));
  }
  parts.push(...formatBody(comment));
  if (comment.suggestion !== undefined) {
    const what = comment.suggestion === "" ? "Remove these lines:" : "Suggested change:";
    parts.push(what, fenced(`${suggestionDiff(comment.place, comment.suggestion)}\n`, "diff"));
  }
  return parts;
}

/** Limits of a quote: UTF-16 units of a line, and lines. The agent can read the rest in the file. */
const MAX_QUOTED_LINE = 500;
const MAX_QUOTED_LINES = 60;

function quoted(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_QUOTED_LINES).map((line) => {
    const length = shownLength(line, MAX_QUOTED_LINE);
    return length < line.length ? `${line.slice(0, length)} … ${line.length - length} more characters` : line;
  });
  const more = lines.length - shown.length;
  return (more > 0 ? [...shown, `… ${more} more ${more === 1 ? "line" : "lines"}`] : shown).join("\n");
}

/**
 * Describes how the file, the diff or the lines of a comment differ from those of the heading; empty if they do not.
 */
function contextLines(comment: ReviewComment, context: FeedbackContext): string[] {
  const found: string[] = [];
  if (comment.place?.side === "old" && comment.oldPath && comment.oldPath !== comment.path) {
    found.push(
      `The lines are those of ${codeSpan(comment.oldPath)}, from which the file was renamed or copied.`,
    );
  }
  if (comment.diff.type !== context.diff.type)
    found.push(`The reviewer commented on another diff: ${comment.diff.label}.`);
  if (comment.place && !context.currentPosition(comment)) {
    found.push("These lines are not in this diff; the code is quoted as it was.");
  }
  return found.length > 0 ? [found.join(" ")] : [];
}

function formatBody(comment: ReviewComment): string[] {
  const parts: string[] = [];
  if (comment.author) parts.push(`From ${comment.author.replace(/\s+/g, " ")}:`);
  if (comment.text.trim() !== "") parts.push(withClosedFence(comment.text.trim()));
  if (comment.images.length > 0) {
    parts.push(
      ["Images:", ...comment.images.map((image) => `- ${image.name}: ${codeSpan(image.path)}`)].join("\n"),
    );
  }
  return parts;
}

/** Returns the body of a unified diff from the commented lines to the suggestion. */
function suggestionDiff(anchor: LineAnchor, suggestion: string): string {
  const after = suggestion === "" ? [] : suggestion.split("\n");
  return diffArrays([...anchor.lines], after)
    .flatMap((part) => part.value.map((line) => `${part.added ? "+" : part.removed ? "-" : " "}${line}`))
    .join("\n");
}

/** Returns `line 5` or `lines 5-9`. */
export function formatLines(start: number, end: number): string {
  return start === end ? `line ${start}` : `lines ${start}-${end}`;
}

/**
 * Converts comments to the annotations of `POST /api/feedback`, with current line numbers, or with the original ones if
 * the lines are not in the diff. Line 0 stands for the whole file. Omits comments on the whole change.
 */
export function toAnnotations(
  comments: readonly ReviewComment[],
  currentPosition: FeedbackContext["currentPosition"],
): CodeAnnotation[] {
  return comments.map(withoutEmptySuggestion).flatMap((comment) => {
    if (comment.path === undefined) return [];
    const now = currentPosition(comment) ?? comment.place ?? { start: 0, end: 0 };
    return [
      {
        id: comment.id,
        type: comment.type,
        filePath: comment.path,
        lineStart: now.start,
        lineEnd: now.end,
        side: comment.place?.side ?? "new",
        ...(comment.text.trim() === "" ? {} : { text: comment.text.trim() }),
        ...(comment.suggestion === undefined ? {} : { suggestedCode: comment.suggestion }),
      },
    ];
  });
}
