import type { KeyboardEvent } from "react";
import type { LineAnchor, ReviewComment } from "../core/comment.ts";
import { formatLines } from "../core/feedback.ts";
import { changeComment } from "../state/comments.ts";
import { MiniDiff } from "./mini-diff.tsx";

interface SuggestionEditorProps {
  readonly comment: ReviewComment;
  readonly anchor: LineAnchor;
  readonly suggestion: string;
}

/** Renders the editor of a suggestion's code, and the resulting diff. */
export function SuggestionEditor({ comment, anchor, suggestion }: SuggestionEditorProps) {
  const change = (text: string) => changeComment(comment.id, (before) => ({ ...before, suggestion: text }));
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== "Tab" || event.shiftKey || event.altKey || event.ctrlKey) return;
    const field = event.currentTarget;
    // At the end of the text, Tab moves the focus on, so that the field is not a keyboard trap.
    if (field.selectionStart === field.value.length) return;
    event.preventDefault();
    field.setRangeText(detectIndent(anchor.lines), field.selectionStart, field.selectionEnd, "end");
    change(field.value);
  };
  return (
    <div className="suggestion">
      <textarea
        className="input input-code suggestion-code"
        rows={Math.min(14, Math.max(2, suggestion.split("\n").length))}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        value={suggestion}
        aria-label={`Suggested code for ${formatLines(anchor.start, anchor.end)} of ${comment.path}`}
        onKeyDown={onKeyDown}
        onChange={(event) => change(event.target.value)}
      />
      <MiniDiff anchor={anchor} suggestion={suggestion} path={comment.path ?? ""} />
    </div>
  );
}

/** Returns one level of indentation: a tab if a line starts with a tab, otherwise two spaces. */
function detectIndent(lines: readonly string[]): string {
  return lines.some((line) => line.startsWith("\t")) ? "\t" : "  ";
}
