import { withClosedFence } from "../../../src/render/markdown/closed-fences.ts";
import { codeSpan } from "../../../src/render/markdown/fences.ts";
import type { NewThreadBody } from "../../../src/review/api-types.ts";
import { changesCode, type ReviewComment } from "./comment.ts";
import { type FeedbackContext, feedbackItem, withoutEmptySuggestion } from "./feedback.ts";

/**
 * Converts a comment to the thread to store. A comment on lines that are not in the diff becomes a thread on the whole
 * change with the text of `threadAsText`.
 */
export function threadBody(comment: ReviewComment, context: FeedbackContext): NewThreadBody {
  const isSuggestion = changesCode(comment) && comment.suggestion !== undefined;
  const type = isSuggestion ? "suggestion" : comment.type === "suggestion" ? "comment" : comment.type;
  const anchor = toAnchor(comment, context.currentPosition(comment));
  if (anchor.kind === "review") return { anchor, type, markdown: threadAsText(comment, context) };
  return {
    anchor,
    type,
    markdown: threadText(comment),
    ...(isSuggestion && { suggestedCode: comment.suggestion }),
  };
}

function toAnchor(
  { path, place: anchor }: ReviewComment,
  position: { readonly start: number; readonly end: number } | undefined,
): NewThreadBody["anchor"] {
  if (path === undefined || (anchor && !position)) return { kind: "review" };
  if (!anchor || !position) return { kind: "file", path };
  return { kind: "lines", path, side: anchor.side, lineStart: position.start, lineEnd: position.end };
}

/**
 * Returns the comment's text and images. A suggestion without text gets a text, because a message must have
 * text.
 */
function threadText(comment: ReviewComment): string {
  const { text, images, suggestion } = comment;
  const parts: string[] = [];
  if (text.trim() !== "") parts.push(images.length > 0 ? withClosedFence(text.trim()) : text.trim());
  if (images.length > 0)
    parts.push(["Images:", ...images.map((image) => `- ${image.name}: \`${image.path}\``)].join("\n"));
  if (parts.length === 0) parts.push(suggestion === "" ? "Remove these lines." : "Change it as suggested.");
  return parts.join("\n\n");
}

/** Formats a comment with its file, lines and code as Markdown, for a thread that is not on those lines. */
export function threadAsText(comment: ReviewComment, context: FeedbackContext): string {
  if (comment.path === undefined) return threadText(comment);
  const [title = "", ...parts] = feedbackItem(withoutEmptySuggestion(comment), context);
  return [`${codeSpan(comment.path)}: ${title}`, ...parts].join("\n\n");
}
