import { structuredPatch } from "diff";
import { useMemo } from "react";

/** Renders the comparison as a unified diff of the Markdown. */
export function RawChanges({ before, after }: { readonly before: string; readonly after: string }) {
  const rows = useMemo(() => toRows(before, after), [before, after]);
  if (rows.length === 0) return <p className="hint">Both versions are identical.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="source raw-changes" tabIndex={0} aria-label="Raw diff">
      {rows.map((row) => (
        <div
          key={row.key}
          className={`source-line raw-${row.kind}`}
          data-line={row.kind === "hunk" ? undefined : row.line}
          data-removed-line={row.kind === "removed" ? row.text.slice(1) : undefined}
        >
          <span aria-hidden>{row.kind === "removed" ? "" : (row.line ?? "")}</span>
          <code>
            {row.kind !== "hunk" && <span className="visually-hidden">{LABELS[row.kind]}</span>}
            {row.text || "\u00a0"}
          </code>
        </div>
      ))}
    </section>
  );
}

type RowKind = "added" | "removed" | "same" | "hunk";
const LABELS = { added: "added: ", removed: "removed: ", same: "" } as const;
const SIGNS: Readonly<Record<string, RowKind>> = { "+": "added", "-": "removed", " ": "same" };

interface Row {
  readonly key: number;
  readonly kind: RowKind;
  readonly text: string;
  /** Line number in the later version. For a removed line, the number of the line after it. */
  readonly line?: number;
}

function toRows(before: string, after: string): Row[] {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 3 });
  const rows: Row[] = [];
  for (const hunk of hunks) {
    let line = hunk.newStart;
    rows.push({ key: rows.length, kind: "hunk", text: `Line ${hunk.newStart}` });
    for (const text of hunk.lines) {
      const kind = SIGNS[text.charAt(0)];
      if (!kind) continue;
      rows.push({ key: rows.length, kind, text, line });
      if (kind !== "removed") line += 1;
    }
  }
  return rows;
}
