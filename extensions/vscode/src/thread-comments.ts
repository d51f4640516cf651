import { join } from "node:path";
import * as vscode from "vscode";
import type { RunningReview } from "../../../src/review/live/running-files.ts";
import type { Thread } from "../../../src/review/live-api-types.ts";
import { createReviewClient, type ReviewClient } from "./review-client.ts";
import { commentOn, newestReviewOf, toThreadView, toWindowPath } from "./thread-view.ts";

/** The threads of the open code reviews, shown at the lines of their files. */
export interface ThreadComments extends vscode.Disposable {
  /** Replaces the shown threads with those of the code reviews in `reviews`. */
  show(reviews: readonly RunningReview[]): void;
  /** Adds what the person typed: a reply, or the first comment of a thread. */
  add(reply: vscode.CommentReply): Promise<void>;
  setState(thread: vscode.CommentThread, state: "open" | "resolved"): Promise<void>;
}

/** One review whose threads are shown. */
interface Shown {
  readonly review: RunningReview;
  readonly client: ReviewClient;
  readonly threads: Map<string, vscode.CommentThread>;
  readonly stop: () => void;
}

/** Milliseconds before a broken event stream is opened again. */
const RETRY_MS = 2_000;

/** Creates the comment controller. `onError` receives messages for the person. */
export function createThreadComments(onError: (text: string) => void): ThreadComments {
  const controller = vscode.comments.createCommentController("sallyport", "Sallyport");
  const shown = new Map<string, Shown>();
  controller.options = { placeHolder: "Comment for the agent", prompt: "Comment" };
  controller.commentingRangeProvider = {
    provideCommentingRanges({ uri, lineCount }) {
      if (uri.scheme !== "file" || !findShown(shown, uri)) return [];
      return [new vscode.Range(0, 0, Math.max(0, lineCount - 1), 0)];
    },
  };
  const draw = (each: Shown, thread: Thread) => {
    const view = toThreadView(thread);
    const known = each.threads.get(thread.id);
    if (!view) {
      known?.dispose();
      each.threads.delete(thread.id);
      return;
    }
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const uri = vscode.Uri.file(toWindowPath(join(each.review.repository, view.path), folders));
    const range = new vscode.Range(view.firstLine, 0, view.lastLine, 0);
    const drawn = known ?? controller.createCommentThread(uri, range, []);
    each.threads.set(thread.id, drawn);
    drawn.range = range;
    drawn.label = view.label;
    drawn.contextValue = view.isResolved ? "resolved" : "open";
    drawn.state = view.isResolved ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    drawn.comments = view.messages.map(({ author, markdown, label }) => ({
      author: { name: author },
      // The text is not marked as trusted, so its links cannot run commands.
      body: new vscode.MarkdownString(markdown),
      mode: vscode.CommentMode.Preview,
      ...(label !== "" && { label }),
    }));
  };
  const follow = (review: RunningReview): Shown => {
    const stopping = new AbortController();
    const client = createReviewClient(review.port);
    const each: Shown = { review, client, threads: new Map(), stop: () => stopping.abort() };
    void followThreads(each, (thread) => draw(each, thread), stopping.signal);
    return each;
  };
  const close = ({ threads, stop }: Shown) => {
    stop();
    for (const thread of threads.values()) thread.dispose();
  };
  const attempt = (work: Promise<Thread>, each: Shown) =>
    work.then(
      (thread) => draw(each, thread),
      (error: unknown) => onError(error instanceof Error ? error.message : String(error)),
    );
  return {
    show(reviews) {
      const code = reviews.filter(({ mode }) => mode === "code");
      for (const [id, each] of shown) {
        if (code.some((review) => review.id === id)) continue;
        close(each);
        shown.delete(id);
      }
      for (const review of code) if (!shown.has(review.id)) shown.set(review.id, follow(review));
    },
    async add({ thread, text }) {
      const known = findThread(shown, thread);
      if (known) return attempt(known.each.client.reply(known.id, text), known.each);
      const each = findShown(shown, thread.uri);
      const { start, end } = thread.range ?? new vscode.Range(0, 0, 0, 0);
      const lines = { file: thread.uri.fsPath, firstLine: start.line, lastLine: end.line };
      const body = each && commentOn(each.review.repository, lines, text);
      // The thread that the review returns replaces the editor's own.
      thread.dispose();
      if (each && body) return attempt(each.client.createThread(body), each);
      onError("Comment not added: no code review of this file is open. Open a review of its repository.");
    },
    async setState(thread, state) {
      const known = findThread(shown, thread);
      if (known) await attempt(known.each.client.change(known.id, { state }), known.each);
    },
    dispose() {
      for (const each of shown.values()) close(each);
      controller.dispose();
    },
  };
}

/** Reads all threads, then follows their changes until the signal aborts. */
async function followThreads(
  { client }: Shown,
  onThread: (thread: Thread) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const thread of await client.threads()) onThread(thread);
      await client.follow({ onThread, onAgent: () => {} }, signal);
    } catch {
      // Tries again: `show` aborts the signal if the review has ended.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Returns the newest of the shown reviews whose repository contains a file. */
function findShown(shown: ReadonlyMap<string, Shown>, uri: vscode.Uri): Shown | undefined {
  const newest = newestReviewOf(
    [...shown.values()].map(({ review }) => review),
    uri.fsPath,
  );
  return newest && shown.get(newest.id);
}

function findThread(
  shown: ReadonlyMap<string, Shown>,
  thread: vscode.CommentThread,
): { readonly each: Shown; readonly id: string } | undefined {
  for (const each of shown.values())
    for (const [id, drawn] of each.threads) if (drawn === thread) return { each, id };
  return undefined;
}
