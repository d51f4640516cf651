import { Pencil, Trash2 } from "lucide-react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import { IconButton } from "../../shared/components/button.tsx";
import { imageUrl } from "../../shared/images/upload.ts";
import type { CommentType, ReviewComment } from "../core/comment.ts";
import { formatLines } from "../core/feedback.ts";
import { useNotebooks } from "../state/notebooks.ts";
import { type CurrentPosition, currentPosition } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { CommentText } from "./comment-text.tsx";
import { MiniDiff } from "./mini-diff.tsx";
import { deleteComment, openComment } from "./start.ts";

const NAMES: Readonly<Record<CommentType, string>> = {
  comment: "Comment",
  suggestion: "Suggestion",
  concern: "Concern",
};

export function CommentCard({ comment }: { readonly comment: ReviewComment }) {
  return (
    <article
      className={`comment comment-${comment.type}`}
      aria-label={describe(comment)}
      data-comment={comment.id}
    >
      <div className="comment-head">
        <CommentBadge type={comment.type} />
        {comment.author && <span className="comment-author">{withDeceptionsShown(comment.author)}</span>}
        <PositionLabel comment={comment} />
        <span className="comment-tools">
          <IconButton small label="Edit this comment" onClick={() => openComment(comment.id)}>
            <Pencil size={14} aria-hidden />
          </IconButton>
          <IconButton small label="Delete this comment" onClick={() => deleteComment(comment)}>
            <Trash2 size={14} aria-hidden />
          </IconButton>
        </span>
      </div>
      {comment.text.trim() !== "" && <CommentText text={comment.text} />}
      {comment.suggestion !== undefined && comment.place && (
        <MiniDiff anchor={comment.place} suggestion={comment.suggestion} path={comment.path ?? ""} />
      )}
      {comment.images.length > 0 && (
        <ul className="thumbnails">
          {comment.images.map((image) => (
            <li key={image.path} className="thumbnail">
              <img src={imageUrl(image.path)} alt={image.name} />
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

export function CommentBadge({ type }: { readonly type: CommentType }) {
  return <span className={`comment-badge comment-badge-${type}`}>{NAMES[type]}</span>;
}

/** Renders the comment's position and its status in the current diff. */
export function PositionLabel({ comment }: { readonly comment: ReviewComment }) {
  const diffType = useSession(({ index }) => index?.diffType);
  // Renders again when a patch or a notebook is loaded, because positions depend on them.
  useSession(({ patchVersion }) => patchVersion);
  useNotebooks(({ loaded }) => loaded);
  const position = currentPosition(comment);
  const statuses = listStatuses(comment, position, diffType);
  return (
    <span className="comment-position">
      {positionText(comment, position)}
      {statuses.map((status) => (
        <span key={status} className="comment-status">
          {status}
        </span>
      ))}
    </span>
  );
}

function positionText(comment: ReviewComment, position: CurrentPosition): string {
  if (comment.path === undefined) return "on the whole change";
  if (!comment.place) return "on the whole file";
  const { start, end } = "start" in position ? position : comment.place;
  return `${formatLines(start, end)}${comment.place.side === "old" ? ", before the change" : ""}`;
}

function listStatuses(
  comment: ReviewComment,
  position: CurrentPosition,
  diffType: string | undefined,
): string[] {
  const statuses: string[] = [];
  if (comment.diff.type !== diffType) statuses.push(`made on ${comment.diff.label}`);
  if (comment.path !== undefined && position.state === "elsewhere") statuses.push("file not in this diff");
  if (comment.place && position.state === "lost") statuses.push("these lines are not in this diff");
  if ("moved" in position && position.moved) statuses.push(`moved from line ${comment.place?.start}`);
  return statuses;
}

function describe(comment: ReviewComment): string {
  return `${NAMES[comment.type]} ${positionText(comment, currentPosition(comment))}`;
}
