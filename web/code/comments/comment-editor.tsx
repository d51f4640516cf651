import { Eye, PenLine } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { ImageAttachments } from "../../shared/images/image-attachments.tsx";
import { LONE_COMMAND_MS } from "../../shared/keyboard/first-key.ts";
import { KeyHint } from "../../shared/keyboard/key-hint.tsx";
import { type CommentType, commentTypes, type ReviewComment } from "../core/comment.ts";
import { formatLines } from "../core/feedback.ts";
import { changeComment, closeEditor, useComments } from "../state/comments.ts";
import { focusCursor, useCursor } from "../state/cursor.ts";
import { useNotebooks } from "../state/notebooks.ts";
import { PositionLabel } from "./comment-card.tsx";
import { CommentText } from "./comment-text.tsx";
import { revealEditor } from "./show-editor.ts";
import { discardComment } from "./start.ts";
import { SuggestionEditor } from "./suggestion-editor.tsx";

/** Renders the editor of a comment. Changes apply to the comment as the person types. */
export function CommentEditor({ comment }: { readonly comment: ReviewComment }) {
  const [isPreview, setPreview] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const canAttach = useNotebooks(({ isServed }) => isServed);
  const { id } = comment;
  useFocusOnStart(id, field);
  useLoneCommand(comment);
  const isSuggestion = comment.suggestion !== undefined;
  useRevealOnGrowth(id, isSuggestion);

  const onKeyDown = (event: KeyboardEvent) => {
    const type = event.altKey ? commentTypes[Number(event.code.replace("Digit", "")) - 1] : undefined;
    if (type && !isRefused(type, comment)) changeComment(id, (before) => withType(before, type));
    else if (
      event.key === "Escape" ||
      (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !event.shiftKey)
    )
      closeAndFocusLine(id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: shortcuts of the fields within
    <div className="comment comment-open" data-comment={id} onKeyDown={onKeyDown}>
      <div className="comment-head">
        <TypeChoice comment={comment} />
        <PositionLabel comment={comment} />
      </div>
      {comment.suggestion !== undefined && comment.place && (
        <SuggestionEditor comment={comment} anchor={comment.place} suggestion={comment.suggestion} />
      )}
      <ImageAttachments
        images={comment.images}
        canAttach={canAttach}
        onChange={(images) => changeComment(id, (before) => ({ ...before, images }))}
        actions={<EditorButtons comment={comment} isPreview={isPreview} onPreview={setPreview} />}
      >
        {isPreview ? (
          <Preview text={comment.text} />
        ) : (
          <TextField comment={comment} field={field} canAttach={canAttach} />
        )}
      </ImageAttachments>
    </div>
  );
}

/** Runs a command of one character that was typed on a selection and followed by a pause. */
function useLoneCommand({ id, text }: ReviewComment): void {
  const isTyped = useComments(({ typed }) => typed === id);
  useEffect(() => {
    const type = TYPES_BY_KEY[text];
    if (!isTyped || !type) return undefined;
    const run = () => {
      useComments.setState({ typed: undefined });
      changeComment(id, (before) => ({
        ...withType(before, isRefused(type, before) ? "comment" : type),
        text: "",
      }));
    };
    const timer = setTimeout(run, LONE_COMMAND_MS);
    return () => clearTimeout(timer);
  }, [isTyped, id, text]);
}

const TYPES_BY_KEY: Readonly<Record<string, CommentType>> = { c: "comment", r: "suggestion", "!": "concern" };

/** Closes the editor, clears the selection and focuses the row of the cursor. */
function closeAndFocusLine(id: string): void {
  closeEditor(id);
  useCursor.setState({ range: undefined });
  focusCursor();
}

interface EditorButtonsProps {
  readonly comment: ReviewComment;
  readonly isPreview: boolean;
  readonly onPreview: (isPreview: boolean) => void;
}

function EditorButtons({ comment, isPreview, onPreview }: EditorButtonsProps) {
  return (
    <>
      <Button variant="quiet" small aria-pressed={isPreview} onClick={() => onPreview(!isPreview)}>
        {isPreview ? <PenLine size={15} aria-hidden /> : <Eye size={15} aria-hidden />}{" "}
        {isPreview ? "Write" : "Preview"}
      </Button>
      <span className="comment-buttons">
        <Button small variant="quiet" onClick={() => discardComment(comment)}>
          Discard
        </Button>
        <Button small variant="primary" onClick={() => closeAndFocusLine(comment.id)}>
          Done <KeyHint keys="Mod+Enter" />
        </Button>
      </span>
    </>
  );
}

function Preview({ text }: { readonly text: string }) {
  return (
    <div className="comment-preview">
      {text.trim() === "" ? <p className="hint">Nothing to preview.</p> : <CommentText text={text} />}
    </div>
  );
}

interface TextFieldProps {
  readonly comment: ReviewComment;
  readonly field: React.RefObject<HTMLTextAreaElement | null>;
  readonly canAttach: boolean;
}

function TextField({ comment, field, canAttach }: TextFieldProps) {
  const { id, text, suggestion } = comment;
  return (
    <textarea
      ref={field}
      className="input"
      rows={3}
      value={text}
      aria-label={formatLabel(comment)}
      placeholder={
        suggestion === undefined
          ? `Leave a comment. Markdown works${canAttach ? "; paste images" : ""}.`
          : "Why? (optional)"
      }
      onChange={(event) => changeComment(id, (before) => ({ ...before, text: event.target.value }))}
    />
  );
}

function TypeChoice({ comment }: { readonly comment: ReviewComment }) {
  const options = commentTypes
    .filter((type) => !isRefused(type, comment))
    .map((type) => ({ value: type, label: `${type[0]?.toUpperCase()}${type.slice(1)}` }));
  return (
    <Segmented
      label="Comment type"
      value={comment.type}
      options={options}
      onChange={(type) => changeComment(comment.id, (before) => withType(before, type))}
    />
  );
}

/**
 * Returns whether the comment cannot have the type. A suggestion needs lines of the new side of a file that is not a
 * notebook shown by cells.
 */
function isRefused(type: CommentType, { place: anchor }: ReviewComment): boolean {
  return type === "suggestion" && (anchor?.side !== "new" || anchor.cell !== undefined);
}

/** Returns the comment with another type. A new suggestion starts with the commented lines. */
function withType(comment: ReviewComment, type: CommentType): ReviewComment {
  const { suggestion, ...rest } = comment;
  if (type !== "suggestion") return { ...rest, type };
  return { ...rest, type, suggestion: suggestion ?? comment.place?.lines.join("\n") ?? "" };
}

function formatLabel({ path, place: anchor }: ReviewComment): string {
  if (path === undefined) return "Comment on the whole change";
  if (!anchor) return `Comment on ${path}`;
  return `Comment on ${path}, ${formatLines(anchor.start, anchor.end)}, ${anchor.side} side`;
}

/**
 * Focuses an editor that was opened: the code of a suggestion, or otherwise the text. An editor that is scrolled back
 * into view does not get the focus.
 */
function useFocusOnStart(id: string, field: React.RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (useComments.getState().focus !== id) return;
    const code = field.current?.closest(".comment")?.querySelector<HTMLElement>(".suggestion-code");
    (code ?? field.current)?.focus({ preventScroll: true });
    // The surrounding thread also reads `focus`, so it is cleared in the next frame.
    requestAnimationFrame(() => useComments.setState({ focus: undefined }));
  }, [id, field]);
}

/** Keeps the buttons in view when a change of type changes the height of the editor. */
function useRevealOnGrowth(id: string, isSuggestion: boolean): void {
  const wasSuggestion = useRef(isSuggestion);
  useEffect(() => {
    const isChanged = wasSuggestion.current !== isSuggestion;
    wasSuggestion.current = isSuggestion;
    return isChanged ? revealEditor(id) : undefined;
  }, [id, isSuggestion]);
}
