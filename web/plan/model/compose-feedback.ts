import { withClosedFence } from "../../../src/render/markdown/closed-fences.ts";
import { codeSpan, fenced } from "../../../src/render/markdown/fences.ts";
import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { describePosition, inDocumentOrder, isPraise, lineRange } from "./annotations.ts";
import { relocate } from "./relocate.ts";

export interface FeedbackParts {
  /** The plan to which the annotations refer. */
  readonly source: string;
  /** The agent's version, if the reviewer edited the plan. */
  readonly sent?: MarkdownDocument;
  readonly annotations: readonly PlanAnnotation[];
  /** Text that precedes all items. */
  readonly note?: string;
  /** The reviewer's changes to the plan as a unified diff. */
  readonly edits?: string;
  readonly purpose: "request-changes" | "approve";
}

/**
 * Formats the feedback for the agent as Markdown: the instruction, the note, the numbered items, the reviewer's edits
 * and the praise. Returns an empty string if there is nothing to send.
 */
export function composeFeedback({
  source,
  annotations,
  note = "",
  edits = "",
  sent,
  purpose,
}: FeedbackParts): string {
  const all = inDocumentOrder(annotations);
  const items = all
    .filter((annotation) => !isPraise(annotation))
    .map((annotation) => toItem(annotation, source, sent));
  const praised = all.filter(isPraise);
  if (all.length === 0 && note.trim() === "" && edits === "") return "";
  const sections = [
    preamble(purpose, items.length > 0 || edits !== ""),
    withClosedFence(note.trim()),
    ...items.map((item, index) => itemText(item, index + 1)),
    edits === ""
      ? ""
      : `## Changes I made to the plan\n\nApply these edits exactly as written:\n\n${fenced(edits, "diff")}`,
    praised.length === 0
      ? ""
      : `## Looks good\n\nKeep these parts as they are:\n\n${praised.map(formatPraise).join("\n")}`,
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

function preamble(purpose: FeedbackParts["purpose"], hasItems: boolean): string {
  if (purpose === "approve") {
    return "# Notes on the approved plan\n\nThe plan is approved. Keep to these notes while you carry it out:";
  }
  const rest = hasItems
    ? "Revise it to address every point below, then present the revised plan for review. Do not start on the work, and do not present the same plan again."
    : "Revise it, then present the revised plan for review. Do not start on the work.";
  return `# Changes requested to the plan\n\nThe plan was not approved. ${rest}`;
}

/** Removes the heading and the instruction from feedback that requests changes. */
export function withoutPreamble(feedback: string): string {
  return feedback
    .replace(/^# Changes requested to the plan\n+The plan was not approved\.[^\n]*\n*/, "")
    .trim();
}

/** An annotation with the version of the plan to which its line numbers refer. */
interface Item {
  readonly annotation: PlanAnnotation;
  readonly source: string;
  /** Whether the text exists only in the reviewer's edits. */
  readonly isOfEdits: boolean;
}

/**
 * Returns the item with line numbers of the agent's version if that version has the text, or of the edited
 * version otherwise.
 */
function toItem(annotation: PlanAnnotation, source: string, sent: MarkdownDocument | undefined): Item {
  if (!sent || !annotation.anchor) return { annotation, source, isOfEdits: false };
  const anchor = relocate(sent, annotation.anchor);
  if (!anchor) return { annotation, source, isOfEdits: true };
  return { annotation: { ...annotation, anchor }, source: sent.source, isOfEdits: false };
}

function itemText({ annotation, source, isOfEdits }: Item, number: number): string {
  const { anchor, text, author, images = [] } = annotation;
  const parts = [
    `## ${number}. ${heading(annotation)}${isOfEdits ? " of the plan with my changes" : ""}`,
    anchor ? fenced(source.slice(anchor.start, anchor.end) || anchor.quote, "markdown") : "",
    instruction(annotation),
    author === undefined ? "" : `From ${author.replace(/\s+/g, " ")}:`,
    text.trim() === "" || annotation.type === "label" ? "" : quoted(text.trim()),
    images.length === 0 ? "" : imageList(images),
  ];
  return parts.filter(Boolean).join("\n\n");
}

function heading({ type, anchor, text }: PlanAnnotation): string {
  if (!anchor) return "About the plan as a whole";
  const position = describePosition(anchor);
  const titles = {
    comment: `Comment on ${position}`,
    concern: `Concern about ${position}: resolve it, or explain why it is not a problem`,
    replace: `Replace in ${position}`,
    delete: `Remove from ${position}`,
    insert: `Insert after ${position}`,
    label: `${text} (${position})`,
    general: "About the plan as a whole",
  } as const;
  return titles[type];
}

function formatPraise({ anchor }: PlanAnnotation): string {
  if (!anchor) return "- The plan as a whole";
  const quote = anchor.quote.replace(/\s+/g, " ").trim();
  const position = lineRange(anchor);
  return `- ${position.charAt(0).toUpperCase()}${position.slice(1)}: ${codeSpan(quote.slice(0, 120))}`;
}

function instruction({ type, replacement }: PlanAnnotation): string {
  if (type === "delete") return "Remove this from the plan.";
  if (type === "replace" && replacement === "") return "Remove this from the plan.";
  if (type === "replace") return `Replace it with:\n\n${fenced(replacement ?? "", "markdown")}`;
  if (type === "insert") return `Add this after it:\n\n${fenced(replacement ?? "", "markdown")}`;
  return "";
}

function imageList(images: NonNullable<PlanAnnotation["images"]>): string {
  const lines = images.map(({ path, name }) => `- ${name.replace(/[\r\n]+/g, " ")}: ${codeSpan(path)}`);
  return `See the attached ${images.length === 1 ? "image" : "images"} (files on this machine):\n\n${lines.join("\n")}`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}
