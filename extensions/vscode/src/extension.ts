import * as vscode from "vscode";
import type { RunningReview } from "../../../src/review/live/running-files.ts";
import { type OpenReviews, watchReviews } from "./open-reviews.ts";
import { createReviewClient } from "./review-client.ts";
import { forgetEnded, showReview } from "./review-tab.ts";
import { startReview } from "./run-command.ts";
import { createThreadComments } from "./thread-comments.ts";
import { commentOn } from "./thread-view.ts";

/** Activates the extension. The editor calls it after startup. */
export function activate(context: vscode.ExtensionContext): void {
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  status.command = "sallyport.openReview";
  const comments = createThreadComments(reportError);
  const reviews = watchReviews({
    dataDirectory: setting("dataDirectory"),
    folders: () => (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    onChange(open, opened) {
      comments.show(open);
      forgetEnded(open);
      status.text = `$(comment-discussion) ${open.length}`;
      status.tooltip = `Open reviews: ${open.map(({ title }) => title).join(", ")}`;
      if (open.length > 0) status.show();
      else status.hide();
      for (const review of opened) void announce(review);
    },
  });
  const commands: Readonly<Record<string, (...args: never[]) => Promise<void>>> = {
    reviewChanges: async () => void (await reviewChanges(reviews)),
    openReview: () => openReview(reviews),
    commentSelection: () => commentSelection(reviews),
    sendFeedback: () => sendFeedback(reviews),
    addComment: (reply: vscode.CommentReply) => comments.add(reply),
    resolveThread: (thread: vscode.CommentThread) => comments.setState(thread, "resolved"),
    reopenThread: (thread: vscode.CommentThread) => comments.setState(thread, "open"),
  };
  for (const [name, run] of Object.entries(commands)) {
    const guarded = (...args: never[]) => run(...args).catch(reportError);
    context.subscriptions.push(vscode.commands.registerCommand(`sallyport.${name}`, guarded));
  }
  context.subscriptions.push(status, comments, reviews);
}

/** Ids of the reviews that this window has opened, which need no notification. */
const ownReviews = new Set<string>();
/** Resolves once the review that this window is opening has an id or has failed to open. */
let starting: Promise<void> = Promise.resolve();

async function announce(review: RunningReview): Promise<void> {
  await starting;
  if (ownReviews.has(review.id)) return;
  const what = setting("onReview");
  if (what === "open") return showReview(review).catch(reportError);
  if (what !== "notify") return;
  const who = review.agent || "An agent";
  const chosen = await vscode.window.showInformationMessage(
    `${who} requests a review: ${review.title}`,
    "Open",
  );
  if (chosen) await showReview(review).catch(reportError);
}

/**
 * Shows the live review of the changes in the active folder, and opens one if none is open. Resolves to false if the
 * person chooses no folder.
 */
async function reviewChanges(reviews: OpenReviews): Promise<boolean> {
  const folder = await activeFolder();
  if (folder === undefined) return false;
  const start = vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: "Sallyport: opening the review" },
    () => startReview(setting("command"), folder),
  );
  starting = Promise.resolve(start).then(
    ({ id }) => void ownReviews.add(id),
    () => {},
  );
  const started = await start;
  await starting;
  await reviews.refresh();
  const port = Number(new URL(started.url).port);
  const title = reviews.all.find(({ id }) => id === started.id)?.title ?? "Review";
  await showReview({ id: started.id, port, title });
  return true;
}

/**
 * Resolves to the folder of the active file, the only folder, or the one that the person chooses; undefined if the
 * person chooses none. Rejects if no folder is open.
 */
async function activeFolder(): Promise<string | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = active && vscode.workspace.getWorkspaceFolder(active);
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) throw new Error("No folder is open. Open a folder with a git repository.");
  if (folder ?? folders.length < 2) return (folder ?? folders[0])?.uri.fsPath;
  return (await vscode.window.showWorkspaceFolderPick())?.uri.fsPath;
}

async function openReview(reviews: OpenReviews): Promise<void> {
  await reviews.refresh();
  const review = await pick(reviews.all, "No review of this window's folders is open.");
  if (review) await showReview(review);
}

/** Adds a comment at the selected lines to the live review. Opens a live review if there is none. */
async function commentSelection(reviews: OpenReviews): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file")
    throw new Error("Comment not added: the active editor shows no file on disk. Select lines of a file.");
  const { document, selection } = editor;
  const text = await vscode.window.showInputBox({ prompt: "Comment for the agent", ignoreFocusOut: true });
  if (!text?.trim()) return;
  if (document.isDirty) await document.save();
  await reviews.refresh();
  const lines = { file: document.uri.fsPath, firstLine: selection.start.line, lastLine: lastLine(selection) };
  const isOf = (review: RunningReview) => review.live && review.mode === "code";
  const find = () =>
    reviews.all.find((each) => isOf(each) && commentOn(each.repository, lines, text) !== undefined);
  if (!find() && !(await reviewChanges(reviews))) return;
  const review = find();
  const body = review && commentOn(review.repository, lines, text);
  if (!review || !body) throw new Error("Comment not added: the file is outside of the reviewed repository.");
  const client = createReviewClient(review.port);
  await client.createThread(body);
  const chosen = await vscode.window.showInformationMessage(
    "Comment added to the review.",
    "Send to the Agent",
  );
  if (chosen) await client.send();
}

/**
 * Returns the last selected line. A selection that ends at the start of a line does not include that line.
 */
function lastLine({ start, end }: vscode.Selection): number {
  return end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
}

async function sendFeedback(reviews: OpenReviews): Promise<void> {
  await reviews.refresh();
  const live = reviews.all.filter((review) => review.live);
  const review = await pick(live, "No live review of this window's folders is open.");
  if (!review) return;
  await createReviewClient(review.port).send();
  vscode.window.setStatusBarMessage("Sallyport: sent", 3_000);
}

/**
 * Resolves to the only review, or the one that the person chooses; undefined if the person chooses none. Rejects with
 * the text `none` if there is no review.
 */
async function pick(reviews: readonly RunningReview[], none: string): Promise<RunningReview | undefined> {
  const [only, ...more] = reviews;
  if (!only) throw new Error(none);
  if (more.length === 0) return only;
  const items = reviews.map((review) => ({ label: review.title, description: review.agent, review }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "Review" }))?.review;
}

function setting(name: "command" | "dataDirectory" | "onReview"): string {
  return vscode.workspace.getConfiguration("sallyport").get(name, "");
}

function reportError(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  void vscode.window.showErrorMessage(`Sallyport: ${text}`);
}
