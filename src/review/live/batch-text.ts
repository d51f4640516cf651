import { withClosedFence } from "../../render/markdown/closed-fences.ts";
import { codeSpan } from "../../render/markdown/fences.ts";
import { describeCellPosition } from "../../render/notebook/describe-cell-position.ts";
import type { LiveBatch, Thread, ThreadAnchor, ThreadMessage } from "../api-types.ts";
import { codeBlock, getFenceLanguage, suggestionBlocks } from "../feedback-blocks.ts";

const KIND: Readonly<Record<Thread["type"], string>> = {
  comment: "Comment",
  suggestion: "Suggestion",
  concern: "Concern",
  question: "Question",
  finding: "Accepted finding",
};

/**
 * Formats a batch as Markdown that an agent can act on without the page. `means` is how the agent responds: with
 * Sallyport's commands, or with the tools of Sallyport's MCP server.
 */
export function batchText(
  { event, round, threads, feedback }: LiveBatch,
  means: "commands" | "tools" = "commands",
): string {
  const blocks = [HEADINGS[event], `Round ${round} of a live review. ${NEXT_STEPS[event]}`];
  const notes = batchNotes({ threads, feedback });
  if (notes !== "") blocks.push(notes);
  else if (event === "feedback") blocks.push("No feedback provided.");
  if (threads.length > 0 && event === "feedback") blocks.push(RESPONSES[means]);
  return blocks.join("\n\n");
}

/** Formats a batch for an agent that submits its plan, and each revision of it, with a hook. */
export function planBatchText({ event, ...batch }: LiveBatch): string {
  const isOver = event === "ended";
  return [
    HEADINGS[event],
    isOver ? PLAN_ENDED : `Round ${batch.round} of a live review. ${PLAN_FEEDBACK}`,
    batchNotes(batch) || "No feedback provided.",
  ].join("\n\n");
}

/** Formats the person's messages of a batch, without instructions. */
export function batchNotes({ threads, feedback }: Pick<LiveBatch, "threads" | "feedback">): string {
  const general = feedback.trim() === "" ? [] : ["## In general", withClosedFence(feedback)];
  return [...general, ...threads.flatMap((thread, index) => threadBlocks(thread, index + 1))].join("\n\n");
}

const PLAN_FEEDBACK =
  "Revise the plan as described below, then submit it again: the person sees it as the next round.";
const PLAN_ENDED =
  "The review is closed without an approval. Revise the plan as described below before you submit it again.";

const HEADINGS: Readonly<Record<LiveBatch["event"], string>> = {
  feedback: "# Review feedback",
  approved: "# The reviewer approved",
  ended: "# The review has ended",
};

const NEXT_STEPS: Readonly<Record<LiveBatch["event"], string>> = {
  feedback: "Act on each thread, then wait for the next feedback.",
  approved: "The changes are approved. The review is closed: do not wait again.",
  ended: "The review is closed without an approval: do not wait again.",
};

const RESPONSES = {
  commands:
    "Reply with `sallyport review reply THREAD --text TEXT`; add `--resolve` once a thread is settled. After changing " +
    "files, run `sallyport review refresh`. Then run `sallyport review wait` for the next feedback.",
  tools:
    "Reply with the tool `reply`; set `resolve` once a thread is settled. After changing files, call `refresh`. Then call " +
    "`wait_for_feedback` for the next feedback.",
} as const;

function threadBlocks({ id, anchor, type, messages, outdated, state }: Thread, number: number): string[] {
  const marks = [outdated ? ", outdated" : "", state === "resolved" ? ", resolved" : ""].join("");
  const blocks = [
    `## ${number}. ${KIND[type]} on ${describeAnchor(anchor)}${marks}`,
    `Thread ${codeSpan(id)}`,
  ];
  const quote = getQuote(anchor);
  const language =
    anchor.kind === "lines" ? getFenceLanguage(anchor.path) : anchor.kind === "plan" ? "markdown" : "";
  if (quote !== "") blocks.push(codeBlock(quote, language));
  const isConversation = messages.length > 1 || messages.some(({ author }) => author.kind !== "person");
  for (const message of messages) blocks.push(...messageBlocks(message, isConversation, language));
  return blocks;
}

function describeAnchor(anchor: ThreadAnchor): string {
  switch (anchor.kind) {
    case "lines": {
      const { path, side, lineStart, lineEnd, cell } = anchor;
      const lines = lineStart === lineEnd ? `line ${lineStart}` : `lines ${lineStart}-${lineEnd}`;
      const inCell = cell ? `: ${describeCellPosition(cell)}` : "";
      return `${codeSpan(path)}, ${lines} (${side} side)${inCell}`;
    }
    case "file":
      return `${codeSpan(anchor.path)}, the whole file`;
    case "plan":
      return "the plan";
    case "review":
      return "the whole review";
  }
}

function getQuote(anchor: ThreadAnchor): string {
  if (anchor.kind === "lines") return anchor.code;
  return anchor.kind === "plan" ? anchor.quote : "";
}

/** Formats a message as Markdown blocks; with `named`, they begin with the author's name. */
function messageBlocks(
  { author, markdown, suggestedCode }: ThreadMessage,
  named: boolean,
  language: string,
): string[] {
  const isPerson = author.kind === "person";
  const name = author.name === "" ? "reviewer" : author.name;
  const by = isPerson
    ? `The reviewer${author.name === "" ? "" : ` (${codeSpan(name)})`}:`
    : `${codeSpan(name)} (${author.kind}):`;
  const blocks = named ? [by] : [];
  if (markdown.trim() !== "") blocks.push(withClosedFence(markdown));
  if (suggestedCode !== undefined) blocks.push(...suggestionBlocks(suggestedCode, language));
  return blocks;
}
