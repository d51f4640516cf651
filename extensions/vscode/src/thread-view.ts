import { isAbsolute, join, relative, sep } from "node:path";
import { toRealPath } from "../../../src/files/real-path.ts";
import type { RunningReview } from "../../../src/review/live/running-files.ts";
import type { NewThreadBody, Thread, ThreadAuthor } from "../../../src/review/live-api-types.ts";

/** A thread as the editor shows it, without the editor's types. */
export interface ThreadView {
  readonly id: string;
  /** Path in the repository, with slashes. */
  readonly path: string;
  /** Line numbers from 0, both inclusive. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly label: string;
  readonly isResolved: boolean;
  readonly messages: readonly {
    readonly author: string;
    readonly markdown: string;
    readonly label: string;
  }[];
}

/**
 * Returns how the editor shows a thread; undefined for a thread on a line of the old side, on a plan or on the whole
 * review. A thread of a whole file is shown at its first line.
 */
export function toThreadView(thread: Thread): ThreadView | undefined {
  const { anchor } = thread;
  if (anchor.kind === "plan" || anchor.kind === "review") return undefined;
  if (anchor.kind === "lines" && anchor.side === "old") return undefined;
  const [first, last] = anchor.kind === "lines" ? [anchor.lineStart, anchor.lineEnd] : [1, 1];
  return {
    id: thread.id,
    path: anchor.path,
    firstLine: Math.max(0, first - 1),
    lastLine: Math.max(0, last - 1),
    label: labelOf(thread),
    isResolved: thread.state !== "open",
    messages: thread.messages.map(({ author, markdown, sentAt, deliveredAt, suggestedCode }) => ({
      author: authorName(author),
      markdown: suggestedCode === undefined ? markdown : `${markdown}\n\n${fenced(suggestedCode)}`,
      label: author.kind !== "person" ? "" : deliveredAt ? "delivered" : sentAt ? "sent" : "not sent",
    })),
  };
}

function labelOf({ type, severity, state, resolvedBy, outdated }: Thread): string {
  const kind = type === "finding" && severity ? `finding, ${severity}` : type;
  const by = state === "resolved" && resolvedBy ? `resolved by ${authorName(resolvedBy)}` : state;
  return [kind, by, ...(outdated ? ["outdated"] : [])].join(" · ");
}

function authorName({ kind, name }: ThreadAuthor): string {
  return name || (kind === "person" ? "You" : kind === "agent" ? "Agent" : "Tool");
}

/** Returns a code block whose fence is longer than every run of backticks in the code. */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}

/** Lines of a file that the person has selected, from 0, both inclusive. */
export interface SelectedLines {
  readonly file: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Returns the body of a comment on selected lines; undefined for a file outside of the repository. */
export function commentOn(
  repository: string,
  { file, firstLine, lastLine }: SelectedLines,
  markdown: string,
): NewThreadBody | undefined {
  const path = findPath(repository, file);
  if (path === undefined) return undefined;
  const anchor = {
    kind: "lines",
    path,
    side: "new",
    lineStart: firstLine + 1,
    lineEnd: lastLine + 1,
  } as const;
  return { anchor, type: "comment", markdown };
}

/** Returns the path of a file within a repository. The editor may have opened the file through a symbolic link. */
function findPath(repository: string, file: string): string | undefined {
  return pathWithin(repository, file) ?? pathWithin(repository, toRealPath(file));
}

/**
 * Returns a path of a review as the window names it: if a folder was opened through a symbolic link, its editors show
 * only the threads of paths below that link.
 */
export function toWindowPath(path: string, folders: readonly string[]): string {
  for (const folder of folders) {
    const within = pathWithin(toRealPath(folder), path);
    if (within !== undefined) return join(folder, within);
  }
  return path;
}

/** Returns the path of a file within a folder, with slashes; undefined if it is outside. */
export function pathWithin(folder: string, file: string): string | undefined {
  const path = relative(folder, file);
  if (path === "" || path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return path.split(sep).join("/");
}

/** Returns the review that was opened last of those whose repository contains a file. */
export function newestReviewOf<Review extends Pick<RunningReview, "repository" | "since">>(
  reviews: readonly Review[],
  file: string,
): Review | undefined {
  let newest: Review | undefined;
  for (const review of reviews) {
    if (findPath(review.repository, file) === undefined) continue;
    if (!newest || review.since > newest.since) newest = review;
  }
  return newest;
}
