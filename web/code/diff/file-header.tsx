import {
  ChevronDown,
  ChevronRight,
  Copy,
  Eye,
  MessageSquarePlus,
  SquareArrowOutUpRight,
  UnfoldVertical,
} from "lucide-react";
import { lazy, memo, Suspense } from "react";
import { modeChange } from "../../../src/render/diff/patch/mode-change.ts";
import { splitPath } from "../../../src/render/diff/patch/shown-path.ts";
import { STATUS_LETTERS } from "../../../src/render/diff/patch/status-letters.ts";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { copyAndReport } from "../../shared/clipboard.ts";
import { IconButton } from "../../shared/components/button.tsx";
import { commentOnFile } from "../comments/start.ts";
import { sinceRound } from "../core/since-round.ts";
import { openPreview, previewKind } from "../preview/preview-store.ts";
import { describeMechanical, useMechanical } from "../state/mechanical.ts";
import { isNotebook } from "../state/notebooks.ts";
import { useRounds } from "../state/rounds.ts";
import { useSession } from "../state/session.ts";
import { isFolded, isViewed, setFolded, setViewed, useView } from "../state/view.ts";

const NotebookSwitch = lazy(() =>
  import("../notebook/notebook-switch.tsx").then((module) => ({ default: module.NotebookSwitch })),
);

interface FileHeaderProps {
  readonly file: DiffFile;
  readonly onExpandAll: (() => void) | undefined;
}

/** Renders a file's sticky header. */
export const FileHeader = memo(function FileHeader({ file, onExpandAll }: FileHeaderProps) {
  const folded = useView((view) => isFolded(view, file));
  const viewed = useView((view) => isViewed(view, file));
  // A viewed mark applies to the whole change of a file, so it cannot be set while only the changes since a
  // round are shown.
  const isWhole = useSession(({ since }) => since === undefined);
  const Chevron = folded ? ChevronRight : ChevronDown;
  return (
    <header className="file-header">
      <button
        type="button"
        className="file-fold"
        aria-expanded={!folded}
        aria-label={folded ? `Unfold ${file.path}` : `Fold ${file.path}`}
        onClick={() => setFolded(file, !folded)}
      >
        <Chevron size={16} aria-hidden />
      </button>
      <StatusLetter status={file.status} />
      <h2 className="file-path" title={withDeceptionsShown(file.path)}>
        <FilePath file={file} />
      </h2>
      <Counts file={file} />
      <Badges file={file} />
      <FileActions file={file} onExpandAll={onExpandAll} />
      {isWhole && (
        <label className="file-viewed">
          <input
            type="checkbox"
            checked={viewed}
            onChange={(event) => setViewed(file, event.target.checked)}
          />
          Viewed<span className="visually-hidden"> {file.path}</span>
        </label>
      )}
    </header>
  );
});

function Badges({ file }: { readonly file: DiffFile }) {
  const since = useRounds(({ compared }) => sinceRound(compared, file));
  const mode = modeChange(file);
  const mechanical = useMechanical(({ files }) => files.get(file.path));
  return (
    <>
      {mode !== undefined && <span className="badge">{mode}</span>}
      {file.generated && <span className="badge">generated</span>}
      {file.conflict && (
        <span className="badge badge-conflict">
          {file.conflict === "old" ? "conflict resolved" : "unresolved conflict"}
        </span>
      )}
      {mechanical && !file.generated && (
        <span className="badge badge-mechanical" title={describeMechanical(mechanical)}>
          {describeMechanical(mechanical)}
        </span>
      )}
      {(since === "new" || since === "changed") && (
        <span className="badge badge-since" title="Changed since your last feedback">
          {since === "new" ? "new since" : "changed since"}
        </span>
      )}
    </>
  );
}

function FileActions({ file, onExpandAll }: FileHeaderProps) {
  const { path } = file;
  return (
    <span className="file-actions">
      <IconButton
        small
        label={`Copy the path ${path}`}
        onClick={() => void copyAndReport(path, "Path copied")}
      >
        <Copy size={14} aria-hidden />
      </IconButton>
      {isNotebook(file) && (
        <Suspense fallback={null}>
          <NotebookSwitch file={file} />
        </Suspense>
      )}
      {previewKind(file) && (
        <IconButton
          small
          className="file-preview"
          label={`Preview of ${path}`}
          shortcut="V"
          onClick={() => openPreview(file)}
        >
          <Eye size={15} aria-hidden />
        </IconButton>
      )}
      {file.status !== "deleted" && <EditorLink path={path} />}
      {onExpandAll && (
        <IconButton small label={`Show all lines of ${path}`} onClick={onExpandAll}>
          <UnfoldVertical size={14} aria-hidden />
        </IconButton>
      )}
      <IconButton small label={`Comment on ${path} as a whole`} onClick={() => commentOnFile(file)}>
        <MessageSquarePlus size={15} aria-hidden />
      </IconButton>
    </span>
  );
}

function EditorLink({ path }: { readonly path: string }) {
  const root = useSession(({ index }) => index?.repository.root ?? "");
  const link = useSession(({ index }) => index?.editorLink ?? "");
  if (link === "") return null;
  return (
    <a
      className="button button-quiet button-icon button-small"
      href={editorUrl(link, `${root}/${path}`)}
      aria-label={`Open ${path} in the editor`}
      title="Open in the editor"
    >
      <SquareArrowOutUpRight size={14} aria-hidden />
    </a>
  );
}

/** Inserts a path and line 1 into the server's link. The path is encoded except for its slashes. */
function editorUrl(link: string, path: string): string {
  return link.replace("{path}", path.split("/").map(encodeURIComponent).join("/")).replace("{line}", "1");
}

function FilePath({ file }: { readonly file: DiffFile }) {
  const { folder, name } = splitPath(file.path);
  return (
    <>
      {file.oldPath && file.oldPath !== file.path && (
        <span className="file-old">{withDeceptionsShown(file.oldPath)} → </span>
      )}
      <span className="file-folder">{folder}</span>
      <bdi className="file-name">{name}</bdi>
    </>
  );
}

/**
 * Renders the numbers of added and removed lines. Renders nothing if both are 0, because two zeros would suggest that a
 * binary file is unchanged.
 */
export function Counts({ file }: { readonly file: Pick<DiffFile, "additions" | "deletions"> }) {
  if (file.additions + file.deletions === 0) return null;
  return (
    <span className="counts">
      <span className="count-added">+{file.additions}</span>{" "}
      <span className="count-removed">−{file.deletions}</span>
    </span>
  );
}

/** Renders git's letter for a file's status. */
export function StatusLetter({ status }: { readonly status: DiffFile["status"] }) {
  return (
    <abbr className={`status-letter status-${status}`} title={status} aria-label={status}>
      {STATUS_LETTERS[status]}
    </abbr>
  );
}
