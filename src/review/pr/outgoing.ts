import { findHunk, findLine } from "../../render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../render/diff/patch/scan-patch.ts";
import { fenced } from "../../render/markdown/fences.ts";
import type { Thread, ThreadMessage } from "../api-types.ts";
import type { ChangedFile, ForgeName, ForgeThread, OutgoingItem, Verdict } from "../forges/forge.ts";
import { FORGE_LABELS } from "../forges/forge.ts";

/** A thread that cannot be posted, with the reason. It stays on the page. */
export interface KeptThread {
  readonly thread: string;
  readonly reason: string;
}

/** An item, and the ids of the messages on the page from which it is made. */
export interface PlannedItem {
  readonly item: OutgoingItem;
  readonly messages: readonly string[];
}

export interface OutgoingPlan {
  readonly items: readonly PlannedItem[];
  readonly kept: readonly KeptThread[];
}

/** The state at the forge of a thread on the page. */
export type RemoteThread = Pick<ForgeThread, "id" | "resolved" | "takesMessages">;

export interface OutgoingInput {
  readonly forge: ForgeName;
  readonly threads: readonly Thread[];
  /** States by id of the thread on the page. */
  readonly remote: ReadonlyMap<string, RemoteThread>;
  readonly verdict: Verdict;
  readonly body: string;
  /** Ids of open threads that an agent or a tool has reopened. */
  readonly reopenedByPrograms: ReadonlySet<string>;
  /** Ids of threads that the person leaves out. */
  readonly without: ReadonlySet<string>;
  readonly fileOf: (path: string) => ChangedFile | undefined;
}

/**
 * Plans the review to post: the verdict, and the person's messages, changes of state and accepted findings that the
 * forge does not have. Leaves out a verdict `comment` without a text, threads in `without`, dismissed threads, and new
 * threads that are no longer open. `kept` lists the threads that cannot be posted.
 */
export function planOutgoing(input: OutgoingInput): OutgoingPlan {
  const items: PlannedItem[] = [];
  const kept: KeptThread[] = [];
  for (const thread of input.threads) {
    if (input.without.has(thread.id)) continue;
    const remote = input.remote.get(thread.id);
    const texts = thread.messages.filter((message, index) => isToPost(thread, message, index));
    if (texts.length > 0 && (remote || thread.state === "open")) {
      const planned = remote ? planMessage(input, thread, remote, texts) : planComment(input, thread, texts);
      if (typeof planned === "string") kept.push({ thread: thread.id, reason: planned });
      else items.push({ item: planned, messages: texts.map(({ id }) => id) });
    }
    if (remote && changesState(input, thread, remote))
      items.push({
        item: { kind: thread.state === "open" ? "reopen" : "resolve", thread: thread.id, remote: remote.id },
        messages: [],
      });
  }
  const { verdict } = input;
  const body = input.body.trim();
  if (verdict !== "comment" || body !== "")
    items.push({ item: { kind: "verdict", verdict, body }, messages: [] });
  return { items, kept };
}

/**
 * Reports whether a message is to be posted: one that the person wrote, or a finding that the person accepted. Messages
 * that were posted before and those of dismissed threads are not.
 */
function isToPost(thread: Thread, { author, postedAt }: ThreadMessage, index: number): boolean {
  if (postedAt !== undefined || thread.state === "dismissed") return false;
  return author.kind === "person" || (index === 0 && thread.accepted === true);
}

/** Reports whether the person has resolved or reopened a thread. Changes by an agent are not posted. */
function changesState(
  { reopenedByPrograms }: OutgoingInput,
  { id, state, resolvedBy }: Thread,
  { resolved }: RemoteThread,
): boolean {
  if (resolved === undefined || state === "dismissed") return false;
  if (state === "open") return resolved && !reopenedByPrograms.has(id);
  return !resolved && resolvedBy?.kind === "person";
}

function planMessage(
  { forge }: OutgoingInput,
  thread: Thread,
  remote: RemoteThread,
  texts: readonly ThreadMessage[],
): OutgoingItem {
  const body = bodyOf(forge, thread, texts);
  if (remote.takesMessages) return { kind: "reply", thread: thread.id, remote: remote.id, body };
  const [quoted = ""] = (thread.messages[0]?.markdown ?? "").split("\n");
  return { kind: "general", thread: thread.id, body: `> ${quoted}\n\n${body}` };
}

/** Returns the item of a new thread, or the reason why it cannot be posted. */
function planComment(
  { forge, fileOf }: OutgoingInput,
  thread: Thread,
  texts: readonly ThreadMessage[],
): OutgoingItem | string {
  const { anchor, id } = thread;
  const body = bodyOf(forge, thread, texts);
  if (anchor.kind !== "lines" && anchor.kind !== "file") return { kind: "general", thread: id, body };
  if (thread.outdated) return "The pull request no longer contains the lines of this comment.";
  const file = fileOf(anchor.path);
  if (!file) return `${anchor.path} is not part of the pull request.`;
  if (anchor.kind === "file") return { kind: "file", thread: id, path: file.path, body };
  const { side, lineStart, lineEnd } = anchor;
  const patch = scanPatch(file.patch);
  const [first, last] = [findLine(patch, side, lineStart), findLine(patch, side, lineEnd)];
  if (first < 0 || last < 0) {
    const range = lineStart === lineEnd ? `Line ${lineEnd} of` : `Lines ${lineStart} to ${lineEnd} of`;
    return `${range} ${file.path} are outside of the diff. ${FORGE_LABELS[forge]} accepts comments on changed lines and the three lines around them.`.replace(
      /^Line (\d+) of (.*) are/,
      "Line $1 of $2 is",
    );
  }
  if (findHunk(patch, first) !== findHunk(patch, last))
    return `${FORGE_LABELS[forge]} does not accept a comment across two hunks. Select lines of one hunk.`;
  return { kind: "comment", thread: id, path: file.path, side, lineStart, lineEnd, body };
}

/** Returns the text of messages, with suggested code in the forge's form. */
function bodyOf(forge: ForgeName, { anchor, outdated }: Thread, texts: readonly ThreadMessage[]): string {
  const canApply = anchor.kind === "lines" && anchor.side === "new" && !outdated;
  const linesAbove = anchor.kind === "lines" ? anchor.lineEnd - anchor.lineStart : 0;
  return texts
    .flatMap(({ markdown, suggestedCode }) => [
      markdown.trim() === "" ? [] : [markdown],
      suggestedCode === undefined
        ? []
        : [codeBlock(suggestedCode, canApply ? suggestionLanguage(forge, linesAbove) : "")],
    ])
    .flat()
    .join("\n\n");
}

/** Formats code as a block. A line break at its end stays: it is an empty line of the suggestion. */
function codeBlock(code: string, language: string): string {
  return fenced(code === "" ? "" : `${code}\n`, language);
}

/** Returns the language of a code block that the forge offers to apply to a line and the lines above it. */
function suggestionLanguage(forge: ForgeName, linesAbove: number): string {
  return forge === "gitlab" ? `suggestion:-${linesAbove}+0` : "suggestion";
}
