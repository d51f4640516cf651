import "../styles/notebook.css";
import { ChevronDown, ChevronRight, Eye, MessageSquarePlus, UnfoldVertical } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import type { CellDiff, CellRef, DiffFile, NotebookDiffLine } from "../../../src/review/api-types.ts";
import { IconButton } from "../../shared/components/button.tsx";
import { commentOnFile, commentOnLines } from "../comments/start.ts";
import { type NotebookBlock, type NotebookSummary, renderedKey } from "../core/notebook/notebook-view.ts";
import type { FileBody } from "../core/rows/file-body.ts";
import type { DiffController } from "../diff/controller.ts";
import { toggleOpened } from "../state/load-notebook.ts";
import { useSession } from "../state/session.ts";

const ImageComparison = lazy(() =>
  import("../preview/image-comparison.tsx").then((module) => ({ default: module.ImageComparison })),
);

const MarkdownPage = lazy(() =>
  import("../preview/markdown-page.tsx").then((module) => ({ default: module.MarkdownPage })),
);

interface NotebookRowProps {
  readonly controller: DiffController;
  readonly body: FileBody;
  readonly row: number;
  readonly block: NotebookBlock;
}

/** Renders a row of a notebook that is not a line. Reports the row's height to the controller. */
export function NotebookRow({ controller, body, row, block }: NotebookRowProps) {
  const element = useRef<HTMLDivElement>(null);
  const { file } = body;
  const { key } = block;
  useEffect(() => {
    const observed = element.current;
    if (!observed) return;
    const observer = new ResizeObserver(() =>
      controller.measure(file, { widgets: new Map([[key, observed.offsetHeight]]) }),
    );
    observer.observe(observed);
    return () => observer.disconnect();
  }, [controller, file, key]);
  return (
    <div ref={element} role="row" className={`row block-row block-${block.kind}`} aria-rowindex={row + 1}>
      <div role="cell" className="block-content">
        <Block body={body} block={block} />
      </div>
    </div>
  );
}

function Block({ body, block }: Pick<NotebookRowProps, "body" | "block">) {
  switch (block.kind) {
    case "summary":
      return <span>{describeSummary(block.summary)}</span>;
    case "cell":
      return <CellHeader body={body} block={block} />;
    case "rendered":
      return <RenderedCell lines={block.source.lines} />;
    case "output":
      return <span>Output: {block.part.label}</span>;
    case "images":
      return <Images path={body.file.path} cell={block.cell} images={block.part.images ?? {}} />;
    case "metadata":
      return (
        <Toggle file={body.file} block={block} isOpen={block.isOpen}>
          {counted(block.values, "value")} of the{" "}
          {block.key === "metadata notebook" ? "notebook's" : "cell's"} metadata{" "}
          {block.values === 1 ? "differs" : "differ"}
        </Toggle>
      );
    case "folded":
      return (
        <Toggle file={body.file} block={block}>
          {describeFolded(block.cells, block.details)}
        </Toggle>
      );
  }
}

interface ToggleProps {
  readonly file: DiffFile;
  readonly block: NotebookBlock;
  /** Absent for a button that disappears with its block. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

function Toggle({ file, block, isOpen, children }: ToggleProps) {
  const Icon = isOpen === undefined ? UnfoldVertical : isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      className="gap-button"
      aria-expanded={isOpen}
      onClick={() => toggleOpened(file, block.key)}
    >
      <Icon size={14} aria-hidden />
      <span>{children}</span>
    </button>
  );
}

function describeFolded(cells: number, details: number): string {
  const all = `Show ${counted(cells, "unchanged cell")}`;
  if (details === 0) return all;
  const some = details === cells ? (cells === 1 ? "" : "all ") : `${details} of them `;
  return `${all}, ${some}with other execution counts, ids or metadata`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function describeSummary(summary: NotebookSummary): string {
  const { cells, changed, added, removed, moved, counts, ids, values } = summary;
  const changes = list([
    [changed, "changed"],
    [added, "added"],
    [removed, "removed"],
    [moved, "moved"],
  ]);
  const details = [
    counts > 0 && counted(counts, "execution count"),
    ids > 0 && counted(ids, "cell id"),
    values > 0 && `${counted(values, "value")} of metadata`,
  ].filter((text) => text !== false);
  const other = details.length === 0 ? "" : ` Also different: ${details.join(", ")}.`;
  return `${counted(cells, "cell")}${changes === "" ? ", none changed" : `: ${changes}`}.${other}`;
}

function list(counts: readonly (readonly [number, string])[]): string {
  return counts.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : [])).join(", ");
}

const CHANGES: Readonly<Record<CellDiff["change"], string>> = {
  same: "unchanged",
  details: "content unchanged",
  changed: "changed",
  added: "added",
  removed: "removed",
};

interface CellHeaderProps {
  readonly body: FileBody;
  readonly block: Extract<NotebookBlock, { kind: "cell" }>;
}

function CellHeader({ body, block: { cell, key, isRendered } }: CellHeaderProps) {
  const { old, new: now, change, moved } = cell;
  const shown = now ?? old;
  const isRenumbered = old && now && old.number !== now.number;
  const kind = old && now && old.kind !== now.kind ? `${old.kind} → ${now.kind}` : shown?.kind;
  const comment = commentAction(body, cell);
  return (
    <>
      <strong className="cell-number">{cellName(cell)}</strong>
      <span>{kind}</span>
      <span className={`badge cell-${change}`}>{CHANGES[change]}</span>
      {moved ? (
        <span className="badge badge-since">moved, was cell {old?.number}</span>
      ) : (
        isRenumbered && <span>was cell {old.number}</span>
      )}
      <span>{describeCounts(old, now)}</span>
      {shown?.kind === "markdown" && (
        <IconButton
          small
          label={`Preview of ${cellName(cell).toLowerCase()}`}
          aria-pressed={isRendered}
          onClick={() => toggleOpened(body.file, renderedKey(key))}
        >
          <Eye size={15} aria-hidden />
        </IconButton>
      )}
      <IconButton small label={`Comment on ${cellName(cell).toLowerCase()}`} onClick={comment}>
        <MessageSquarePlus size={15} aria-hidden />
      </IconButton>
    </>
  );
}

function cellName({ old, new: now }: CellDiff): string {
  return now ? `Cell ${now.number}` : `Former cell ${old?.number}`;
}

/** Describes the execution counts as Jupyter writes them, such as `In [3] → In [7]`. */
function describeCounts(old: CellRef | undefined, now: CellRef | undefined): string {
  const names = [old, now].map((ref) =>
    ref?.kind === "code" && ref.executionCount !== null ? `In [${ref.executionCount}]` : undefined,
  );
  const [before, after] = names;
  if (!old || !now || before === after) return after ?? before ?? "";
  return `${before ?? "not run"} → ${after ?? "not run"}`;
}

/**
 * Returns the action that comments on the source of a cell, or on the file if a line of the source has no
 * number in the file.
 */
function commentAction({ file, notebook }: FileBody, cell: CellDiff): () => void {
  const side = cell.new ? "new" : "old";
  const text = notebook?.text;
  const at = text?.parts.findIndex((each) => each.cell === cell && each.part.part === "source") ?? -1;
  const hunk = text?.patch.hunks[at];
  const lines = text?.parts[at]?.part.lines.filter(([kind]) => kind !== (side === "new" ? 2 : 1)).length;
  const [start, count] = side === "new" ? [hunk?.newStart, hunk?.newCount] : [hunk?.oldStart, hunk?.oldCount];
  if (!start || !count || count !== lines) return () => commentOnFile(file, `${cellName(cell)}: `);
  return () => void commentOnLines({ path: file.path, side, from: start, to: start + count - 1 }, "comment");
}

function RenderedCell({ lines }: { readonly lines: readonly NotebookDiffLine[] }) {
  const textOn = (other: number) =>
    lines
      .filter(([kind]) => kind !== other)
      .map(([, text]) => text)
      .join("\n");
  const isChanged = lines.some(([kind]) => kind !== 0);
  const texts = [
    { side: "old" as const, text: isChanged ? textOn(1) : "" },
    { side: "new" as const, text: textOn(2) },
  ].filter(({ text }) => text !== "");
  return (
    <div className={texts.length > 1 ? "preview-pages preview-both" : "preview-pages"}>
      <Suspense fallback={null}>
        {texts.map(({ side, text }) => (
          <MarkdownPage key={side} side={side} text={text} />
        ))}
      </Suspense>
    </div>
  );
}

interface ImagesProps {
  readonly path: string;
  readonly cell: CellDiff;
  readonly images: { readonly old?: number; readonly new?: number };
}

function Images({ path, cell, images }: ImagesProps) {
  const diffQuery = useSession((session) => session.diffQuery);
  const url = (side: "old" | "new") => {
    const [number, output] = [cell[side]?.number, images[side]];
    if (number === undefined || output === undefined) return undefined;
    const query = { path, side, cell: `${number}`, output: `${output}` };
    return `/api/notebook/image?${new URLSearchParams(query)}&${diffQuery}`;
  };
  return (
    <Suspense fallback={null}>
      <ImageComparison
        key={diffQuery}
        name={`the output of cell ${(cell.new ?? cell.old)?.number}`}
        sources={{ old: url("old"), new: url("new") }}
      />
    </Suspense>
  );
}
