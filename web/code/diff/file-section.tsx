import { memo, useEffect, useLayoutEffect, useRef } from "react";
import type { ParsedPatch } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { Layout } from "../../../src/render/diff/row-model.ts";
import { type FileBody, lineHeightKey, type MeasuredHeights, NOTICE_KEY } from "../core/rows/file-body.ts";
import { FILE_HEADER_HEIGHT } from "../core/rows/line-heights.ts";
import type { LineRef } from "../core/rows/navigate.ts";
import type { LineRange } from "../state/cursor.ts";
import { useSession } from "../state/session.ts";
import { useView } from "../state/view.ts";
import type { DiffController } from "./controller.ts";
import { expandAll } from "./expand.ts";
import { FileHeader } from "./file-header.tsx";
import { Rows } from "./rows.tsx";

interface FileSectionProps {
  readonly controller: DiffController;
  readonly body: FileBody;
  /** Rows to render, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Pixels from the top of the scroller's content. */
  readonly top: number;
  readonly layout: Layout;
  readonly wrap: boolean;
  /** The selected lines; undefined unless they are in this file. */
  readonly range: LineRange | undefined;
  readonly cursor: LineRef | undefined;
}

/** Renders a file's header and its rows near the window. */
export const FileSection = memo(function FileSection(props: FileSectionProps) {
  const { controller, body, from, to, top, wrap } = props;
  const rows = useRef<HTMLDivElement>(null);
  const { file } = body;
  // Subscribes to the lines shown in full, so that the section is rendered and measured again when they
  // change.
  useView((view) => view.wholeLines);

  useLayoutEffect(() => {
    if (rows.current) controller.measure(file, measureRows(rows.current, body));
  });

  // Measures a notice again when its images have loaded, because the notice grows.
  useEffect(() => {
    const element = rows.current;
    const notice = element?.querySelector("[data-notice]");
    if (!element || !notice) return;
    const observer = new ResizeObserver(() => controller.measure(file, measureRows(element, body)));
    observer.observe(notice);
    return () => observer.disconnect();
  }, [controller, file, body]);

  const canExpand =
    body.state === "rows" && file.status !== "added" && file.status !== "deleted" && !file.binary;
  return (
    <section
      className="file"
      aria-label={file.path}
      data-path={file.path}
      style={{ top, height: FILE_HEADER_HEIGHT + body.height }}
    >
      <FileHeader file={file} onExpandAll={canExpand ? () => void expandAll(body) : undefined} />
      {body.state === "waiting" && (
        <div className="file-waiting" aria-hidden style={{ height: body.height }} />
      )}
      {body.state === "failed" && <FailedFile index={file.index} />}
      {hasRows(body) && (
        <div
          ref={rows}
          role="table"
          aria-label={`Changes in ${file.path}`}
          aria-rowcount={body.rows?.count ?? 0}
          className={wrap ? "rows wrap" : "rows"}
          style={{ top: FILE_HEADER_HEIGHT + (body.offsets?.[from] ?? 0) }}
        >
          <Rows {...props} body={body} from={from} to={to} />
        </div>
      )}
    </section>
  );
});

function hasRows(body: FileBody): body is FileBody & { readonly patch: ParsedPatch } {
  return body.state === "rows" && body.patch !== undefined && (body.rows?.count ?? 0) > 0;
}

/** Returns the measured heights of notices, and those of wrapped lines that differ from the layout. */
function measureRows(element: HTMLElement, body: FileBody): Partial<MeasuredHeights> {
  const widgets = new Map<string, number>();
  const lines = new Map<number, number>();
  for (const child of element.querySelectorAll<HTMLElement>("[data-notice], [data-measure]")) {
    const height = child.offsetHeight;
    const row = Number(child.dataset["row"]);
    const key = body.rows && lineHeightKey(body.rows, row);
    if (child.dataset["notice"] !== undefined) widgets.set(NOTICE_KEY, height);
    else if (key !== undefined && height !== laidOutHeight(body, row)) lines.set(key, height);
  }
  return { widgets, lines };
}

function laidOutHeight({ offsets }: FileBody, row: number): number {
  return (offsets?.[row + 1] ?? 0) - (offsets?.[row] ?? 0);
}

function FailedFile({ index }: { readonly index: number }) {
  const retry = () => useSession.getState().patches?.retry(index);
  return (
    <p className="file-failed">
      Cannot load this file's changes.{" "}
      <button type="button" className="button button-small" onClick={retry}>
        Try again
      </button>
    </p>
  );
}
