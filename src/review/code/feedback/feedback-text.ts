import { withClosedFence } from "../../../render/markdown/closed-fences.ts";
import { codeSpan } from "../../../render/markdown/fences.ts";
import { describeCellPosition } from "../../../render/notebook/describe-cell-position.ts";
import type { CellPosition, CodeAnnotation } from "../../api-types.ts";
import { codeBlock, getFenceLanguage, suggestionBlocks } from "../../feedback-blocks.ts";

/**
 * Returns the first and the last line of an annotation in ascending order. A last line of 0, which means the whole
 * file, stays last.
 */
export function linesMeant({ lineStart, lineEnd }: CodeAnnotation): readonly [number, number] {
  return lineStart > lineEnd && lineEnd > 0 ? [lineEnd, lineStart] : [lineStart, lineEnd];
}

/** An annotation and the code it refers to, if that was found. */
export interface QuotedAnnotation {
  readonly annotation: CodeAnnotation;
  /** The annotated lines, without a line break after the last. */
  readonly code?: string;
  /** The file's name on the old side, if the diff renames or copies the file. */
  readonly oldPath?: string;
  /** Set for lines of a notebook's cell. */
  readonly cell?: CellPosition | undefined;
}

export interface FeedbackParts {
  readonly feedback: string;
  readonly annotations: readonly QuotedAnnotation[];
  /** The name of the diff type and the compared revisions, such as `diff "Uncommitted changes" (HEAD)`. */
  readonly diff: string;
  readonly repository: string;
  readonly branch: string;
}

/** Printed to stdout if there is neither feedback nor an annotation. */
export const NO_FEEDBACK = "No feedback provided.";

const KIND = { comment: "Comment", suggestion: "Suggestion", concern: "Concern" } as const;

/**
 * Formats feedback as Markdown that an agent can act on without the page: path, lines, side and the code. Returns
 * feedback without annotations unchanged, and `NO_FEEDBACK` if it is blank.
 */
export function feedbackText(parts: FeedbackParts): string {
  const feedback = parts.feedback.trim() === "" ? "" : parts.feedback;
  if (parts.annotations.length === 0) return feedback || NO_FEEDBACK;
  const count = parts.annotations.length === 1 ? "1 comment" : `${parts.annotations.length} comments`;
  const blocks = [
    "# Code review feedback",
    `A reviewer read the ${parts.diff} of ${codeSpan(parts.repository)}, branch ${codeSpan(parts.branch)}, and ` +
      `left ${count}. Lines are counted in the file after the change (new side) or before it (old side).`,
  ];
  if (feedback) blocks.push("## In general", withClosedFence(feedback));
  let number = 0;
  for (const [path, annotations] of byPath(parts.annotations)) {
    blocks.push(`## ${codeSpan(path)}`);
    for (const annotation of annotations) {
      number += 1;
      blocks.push(...noteBlocks(number, annotation));
    }
  }
  return blocks.join("\n\n");
}

/** Groups annotations by file, in the order of the first annotation on each file, and sorts each group by line. */
function byPath(annotations: readonly QuotedAnnotation[]): Map<string, QuotedAnnotation[]> {
  const groups = new Map<string, QuotedAnnotation[]>();
  for (const quoted of annotations) {
    const { filePath } = quoted.annotation;
    const group = groups.get(filePath);
    if (group) group.push(quoted);
    else groups.set(filePath, [quoted]);
  }
  for (const group of groups.values())
    group.sort((a, b) => linesMeant(a.annotation)[0] - linesMeant(b.annotation)[0]);
  return groups;
}

function noteBlocks(number: number, { annotation, code, oldPath, cell }: QuotedAnnotation): string[] {
  const { type, side, text, suggestedCode, filePath } = annotation;
  const [first, last] = linesMeant(annotation);
  const lines = first === last ? `line ${first}` : `lines ${first}-${last}`;
  const range = last === 0 ? "the whole file" : lines;
  const renamed = side === "old" && oldPath !== undefined ? `, then ${codeSpan(oldPath)}` : "";
  const inCell = cell ? `: ${describeCellPosition(cell)}` : "";
  const blocks = [`### ${number}. ${KIND[type]} on ${range} (${side} side${renamed})${inCell}`];
  const language = getFenceLanguage(filePath);
  if (code !== undefined) blocks.push(codeBlock(code, language));
  if (text !== undefined && text.trim() !== "") blocks.push(withClosedFence(text));
  if (suggestedCode !== undefined) blocks.push(...suggestionBlocks(suggestedCode, language));
  return blocks;
}
