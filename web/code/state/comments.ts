import { create } from "zustand";
import { commandBefore, isLoneCommand } from "../../shared/keyboard/first-key.ts";
import { without, withoutEntry } from "../../shared/without.ts";
import { isBlank, type ReviewComment } from "../core/comment.ts";

interface CommentState {
  readonly comments: readonly ReviewComment[];
  /** Ids of the comments whose editor is open. */
  readonly editing: ReadonlySet<string>;
  /** Id of the comment whose editor gets the focus when it is rendered. */
  readonly focus: string | undefined;
  /** Comments as they were when their editor was opened, by id. */
  readonly before: ReadonlyMap<string, ReviewComment>;
  /** Id of the comment that received typed text, whose first character may be a command. */
  readonly typed: string | undefined;
}

/** The comments of this review and their open editors. */
export const useComments = create<CommentState>(() => ({
  comments: [],
  editing: new Set(),
  focus: undefined,
  before: new Map(),
  typed: undefined,
}));

export function startComment(comment: ReviewComment): void {
  useComments.setState(({ comments, editing }) => ({
    comments: [...comments, comment],
    editing: new Set([...editing, comment.id]),
    focus: comment.id,
    typed: comment.text === "" ? undefined : comment.id,
  }));
}

/** Adds a comment without opening its editor. */
export function addComment(comment: ReviewComment): void {
  useComments.setState(({ comments }) => ({ comments: [...comments, comment] }));
}

/** Removes a comment that the server has stored as a thread. */
export function forgetComment(id: string): void {
  useComments.setState(({ comments, editing, before }) => ({
    comments: comments.filter((comment) => comment.id !== id),
    editing: without(editing, id),
    before: withoutEntry(before, id),
  }));
}

export function changeComment(id: string, change: (comment: ReviewComment) => ReviewComment): void {
  useComments.setState(({ comments, typed }) => ({
    comments: comments.map((comment) =>
      comment.id === id ? withoutCommand(change(comment), typed) : comment,
    ),
  }));
}

/** Removes a command character from the start of typed text, and gives the comment the type of the command. */
function withoutCommand(comment: ReviewComment, typed: string | undefined): ReviewComment {
  const command = comment.id === typed ? commandBefore(comment.text) : undefined;
  return command ? { ...comment, ...command } : comment;
}

export function editComment(id: string): void {
  useComments.setState(({ comments, editing, before }) => {
    const comment = comments.find((each) => each.id === id);
    const isOpen = editing.has(id) || !comment;
    return {
      editing: new Set([...editing, id]),
      focus: id,
      before: isOpen ? before : new Map(before).set(id, comment),
    };
  });
}

/** Closes a comment's editor and keeps its text. Removes a comment without content or with only a typed command. */
export function closeEditor(id: string): void {
  useComments.setState(({ comments, editing, before, typed }) => ({
    comments: comments.filter((comment) => comment.id !== id || !isEmptyComment(comment, typed)),
    editing: without(editing, id),
    before: withoutEntry(before, id),
    focus: undefined,
    typed: undefined,
  }));
}

function isEmptyComment(comment: ReviewComment, typed: string | undefined): boolean {
  if (isBlank(comment)) return true;
  return comment.id === typed && isLoneCommand(comment.text) && comment.images.length === 0;
}

/** Removes an empty comment that was opened by the first letters of a sentence. */
export function withdrawComment(id: string): void {
  useComments.setState(({ comments, editing }) => ({
    comments: comments.filter((comment) => comment.id !== id),
    editing: without(editing, id),
    focus: undefined,
  }));
}

/** Undo functions for deleted and discarded comments; the newest is last. */
const ways: (() => void)[] = [];

/** Undoes the last deletion or discarded change. Returns false if there is none. */
export function undoLast(): boolean {
  const back = ways.at(-1);
  back?.();
  return back !== undefined;
}

/** Adds an undo function. Returns a function that runs it, of which only the first call has an effect. */
function offerUndo(back: () => void): () => void {
  const once = () => {
    const at = ways.indexOf(once);
    if (at < 0) return;
    ways.splice(at, 1);
    back();
  };
  ways.push(once);
  return once;
}

/**
 * Discards the changes since a comment's editor was opened, or removes a new comment. Returns an undo function;
 * undefined without changes.
 */
export function discardChanges(id: string): (() => void) | undefined {
  const { comments, before } = useComments.getState();
  const written = comments.find((comment) => comment.id === id);
  const earlier = before.get(id);
  if (!written) return undefined;
  if (!earlier) {
    const isEmpty = isBlank(written);
    const back = removeComment(id);
    return isEmpty ? undefined : back;
  }
  useComments.setState(({ comments: all, editing }) => ({
    comments: all.map((comment) => (comment.id === id ? earlier : comment)),
    editing: without(editing, id),
    before: withoutEntry(before, id),
  }));
  if (earlier === written) return undefined;
  return offerUndo(() => changeComment(id, () => written));
}

/** Removes a comment. Returns an undo function, which puts the comment back at its position. */
export function removeComment(id: string): () => void {
  const before = useComments.getState().comments;
  const at = before.findIndex((comment) => comment.id === id);
  const removed = before[at];
  useComments.setState((state) => ({
    comments: state.comments.filter((comment) => comment.id !== id),
    editing: without(state.editing, id),
    before: withoutEntry(state.before, id),
  }));
  return offerUndo(() => {
    if (!removed) return;
    useComments.setState(({ comments }) => ({ comments: comments.toSpliced(at, 0, removed) }));
  });
}

/** Returns the comments with content, which are counted and sent. */
export function nonEmptyComments(comments: readonly ReviewComment[]): ReviewComment[] {
  return comments.filter((comment) => !isBlank(comment));
}
