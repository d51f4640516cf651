import { useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import type { FileBody } from "../core/rows/file-body.ts";
import { useSession } from "../state/session.ts";

const IMAGE = /\.(png|jpe?g|webp)$/i;

/** Replaces the lines of a file: describes the change and shows images. */
export function NoticeRow({ body, row }: { readonly body: FileBody; readonly row: number }) {
  const { file, patch } = body;
  return (
    <div role="row" className="row notice-row" aria-rowindex={row + 1} data-notice>
      <div role="cell">
        <p>{patch?.broken ? "Cannot parse this patch. Raw output of git:" : noticeFor(file)}</p>
        {patch?.broken && <pre className="raw-patch">{patch.text.slice(0, 100_000)}</pre>}
        {file.binary && IMAGE.test(file.path) && <ImagePreview file={file} />}
      </div>
    </div>
  );
}

/** Describes the change of a file without lines. */
function noticeFor(file: DiffFile): string {
  const modes = file.oldMode && file.newMode && file.oldMode !== file.newMode;
  const change = modes ? ` Its mode changed from ${file.oldMode} to ${file.newMode}.` : "";
  const before = withDeceptionsShown(file.oldPath ?? "");
  if (file.newMode === "160000" || file.oldMode === "160000")
    return `A submodule, now at another commit.${change}`;
  if (file.binary) return `A binary file was ${verb(file)}.${change}`;
  if (file.status === "renamed") return `Renamed from ${before}, without a change to its text.${change}`;
  if (file.status === "copied") return `Copied from ${before}, without a change to its text.${change}`;
  if (file.status === "added") return "An empty file was added.";
  if (file.status === "deleted") return "An empty file was deleted.";
  return change.trim() || "Only whitespace changed (hidden).";
}

function verb(file: DiffFile): string {
  return (
    {
      added: "added",
      deleted: "deleted",
      renamed: `renamed from ${withDeceptionsShown(file.oldPath ?? "")}`,
    }[file.status as string] ?? "changed"
  );
}

/** Renders the image before and after the change; a new or deleted image has one side. */
function ImagePreview({ file }: { readonly file: DiffFile }) {
  return (
    <div className="image-preview">
      {file.status !== "added" && <ImageSide file={file} side="old" />}
      {file.status !== "deleted" && <ImageSide file={file} side="new" />}
    </div>
  );
}

function ImageSide({ file, side }: { readonly file: DiffFile; readonly side: "old" | "new" }) {
  const diffId = useSession(({ index }) => index?.diffId ?? "");
  const [failed, setFailed] = useState(false);
  const [size, setSize] = useState("");
  if (failed) return null;
  const when = side === "old" ? "before" : "after";
  // The diff id makes the browser load the image again when the diff is refreshed.
  const query = new URLSearchParams({ path: file.path, side, diff: diffId });
  return (
    <figure>
      <img
        src={`/api/diff/image?${query}`}
        alt={`${file.path} ${when} the change`}
        onLoad={({ currentTarget }) => setSize(formatSize(currentTarget))}
        onError={() => setFailed(true)}
      />
      <figcaption>
        {when}
        {size !== "" && `, ${size}`}
      </figcaption>
    </figure>
  );
}

/** Returns the width and height of a loaded image, and its size in bytes if the browser reports it. */
function formatSize({ naturalWidth, naturalHeight, currentSrc }: HTMLImageElement): string {
  const entry = performance.getEntriesByName(currentSrc).at(-1);
  const bytes = entry instanceof PerformanceResourceTiming ? entry.decodedBodySize : 0;
  const length = bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`;
  return `${naturalWidth} × ${naturalHeight}${bytes > 0 ? `, ${length}` : ""}`;
}
