import { diffArrays } from "diff/lib/diff/array.js";
import { useMemo } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import { splitSegments } from "../../../src/render/diff/text/segments.ts";
import { wordChanges } from "../../../src/render/diff/text/word-diff.ts";
import type { LineAnchor } from "../core/comment.ts";
import { CodeText } from "../highlight/code-text.tsx";

interface MiniDiffProps {
  readonly anchor: LineAnchor;
  readonly suggestion: string;
  readonly path: string;
}

interface MiniLine {
  readonly kind: "added" | "removed" | "context";
  readonly text: string;
  readonly changed: readonly number[];
}

/** Renders a suggestion as a diff against the commented lines. */
export function MiniDiff({ anchor, suggestion, path }: MiniDiffProps) {
  const lines = useMemo(() => miniLines(anchor.lines, suggestion), [anchor.lines, suggestion]);
  if (lines.every(({ kind }) => kind === "context")) {
    return <p className="hint">No change is suggested yet. Edit the code to suggest one.</p>;
  }
  return (
    <figure className="mini-diff" aria-label={`Suggested change to ${path}`}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity; the whole diff is painted again
        <div key={index} className={classNames("code", line.kind)}>
          <span className="code-text">
            <CodeText segments={splitSegments(line.text, { changed: line.changed, found: [] })} />
          </span>
        </div>
      ))}
    </figure>
  );
}

function miniLines(before: readonly string[], suggestion: string): MiniLine[] {
  const lines: MiniLine[] = [];
  const after = suggestion === "" ? [] : suggestion.split("\n");
  let removed: string[] = [];
  for (const part of diffArrays([...before], after)) {
    if (part.removed) {
      removed = part.value;
      continue;
    }
    const added = part.added ? part.value : [];
    lines.push(...changedLines(removed, added));
    removed = [];
    if (!part.added)
      lines.push(...part.value.map((text) => ({ kind: "context", text, changed: [] }) as const));
  }
  return [...lines, ...changedLines(removed, [])];
}

function changedLines(removed: readonly string[], added: readonly string[]): MiniLine[] {
  const changes = removed.map((text, index) => wordChanges(text, added[index] ?? ""));
  return [
    ...removed.map((text, index) => ({ kind: "removed", text, changed: changes[index]?.old ?? [] }) as const),
    ...added.map((text, index) => ({ kind: "added", text, changed: changes[index]?.new ?? [] }) as const),
  ];
}
