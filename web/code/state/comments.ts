import { create } from "zustand";
import { isBlank, type ReviewComment } from "../core/comment.ts";

interface CommentState {
  readonly comments: readonly ReviewComment[];
  /** Comments whose editor is open. */
  readonly editing: ReadonlySet<string>;
  /** The comment whose editor should take the focus when it appears. */
  readonly focus: string | undefined;
}

/** The comments of this review, and which of them are open. */
export const useComments = create<CommentState>(() => ({
  comments: [],
  editing: new Set(),
  focus: undefined,
}));

/** Adds a comment and opens its editor. */
export function startComment(comment: ReviewComment): void {
  useComments.setState(({ comments, editing }) => ({
    comments: [...comments, comment],
    editing: new Set([...editing, comment.id]),
    focus: comment.id,
  }));
}

/** Changes members of a comment; `undefined` takes a member away. */
export function changeComment(id: string, change: (comment: ReviewComment) => ReviewComment): void {
  useComments.setState(({ comments }) => ({
    comments: comments.map((comment) => (comment.id === id ? change(comment) : comment)),
  }));
}

/** Opens the editor of a comment. */
export function editComment(id: string): void {
  useComments.setState(({ editing }) => ({ editing: new Set([...editing, id]), focus: id }));
}

/** Closes a comment's editor; a comment that says nothing goes with it. */
export function closeEditor(id: string): void {
  useComments.setState(({ comments, editing }) => ({
    comments: comments.filter((comment) => comment.id !== id || !isBlank(comment)),
    editing: without(editing, id),
    focus: undefined,
  }));
}

/** Takes a comment away; the returned function puts it back where it was. */
export function removeComment(id: string): () => void {
  const before = useComments.getState().comments;
  const at = before.findIndex((comment) => comment.id === id);
  const removed = before[at];
  useComments.setState(({ comments, editing }) => ({
    comments: comments.filter((comment) => comment.id !== id),
    editing: without(editing, id),
  }));
  return () => {
    if (!removed) return;
    useComments.setState(({ comments }) => ({ comments: comments.toSpliced(at, 0, removed) }));
  };
}

/** The comments that say something: what is counted and sent. */
export function saidComments(comments: readonly ReviewComment[]): ReviewComment[] {
  return comments.filter((comment) => !isBlank(comment));
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}
