import type { KeyboardEvent } from "react";
import type { LinePlace, ReviewComment } from "../core/comment.ts";
import { linesOf } from "../core/feedback.ts";
import { changeComment } from "../state/comments.ts";
import { MiniDiff } from "./mini-diff.tsx";

interface SuggestionEditorProps {
  readonly comment: ReviewComment;
  readonly place: LinePlace;
  readonly suggestion: string;
}

/** The lines themselves, to be edited where they stand, and what that changes. */
export function SuggestionEditor({ comment, place, suggestion }: SuggestionEditorProps) {
  const change = (text: string) => changeComment(comment.id, (before) => ({ ...before, suggestion: text }));
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== "Tab" || event.shiftKey || event.altKey || event.ctrlKey) return;
    const field = event.currentTarget;
    // Tab leaves the field from its end, so that nobody is caught in it.
    if (field.selectionStart === field.value.length) return;
    event.preventDefault();
    field.setRangeText(indentOf(place.lines), field.selectionStart, field.selectionEnd, "end");
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
        aria-label={`Suggested code for ${linesOf(place.start, place.end)} of ${comment.path}`}
        onKeyDown={onKeyDown}
        onChange={(event) => change(event.target.value)}
      />
      <MiniDiff place={place} suggestion={suggestion} path={comment.path ?? ""} />
    </div>
  );
}

/** One step of indentation as the code around has it. */
function indentOf(lines: readonly string[]): string {
  return lines.some((line) => line.startsWith("\t")) ? "\t" : "  ";
}
