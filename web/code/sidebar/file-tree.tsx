import { Braces, Check, ChevronDown, ChevronRight, MessageSquare, Search } from "lucide-react";
import { memo, useMemo } from "react";
import { filterFiles, type TreeRow, treeRows } from "../../../src/render/diff/patch/file-tree.ts";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { ChangedSymbol } from "../../../src/review/api-types.ts";
import { Button, IconButton } from "../../shared/components/button.tsx";
import { KeyHint } from "../../shared/keyboard/key-hint.tsx";
import { getShortcutKey } from "../../shared/keyboard/shortcut-table.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { thousands } from "../core/count.ts";
import { sinceRound } from "../core/since-round.ts";
import type { DiffController } from "../diff/controller.ts";
import { Counts, StatusLetter } from "../diff/file-header.tsx";
import { goToNewLine } from "../diff/go-to-line.ts";
import { goToFile } from "../moving.ts";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { useCursor } from "../state/cursor.ts";
import { toggleMechanical, useMechanical } from "../state/mechanical.ts";
import { useRounds } from "../state/rounds.ts";
import { useSession } from "../state/session.ts";
import { hasTexts, toggleSymbols, useSymbols } from "../state/symbols.ts";
import { openThreadsIn } from "../state/threads.ts";
import { isViewed, useView } from "../state/view.ts";
import { coversDiff } from "./covers-diff.ts";
import { FixedList } from "./fixed-list.tsx";
import { SymbolLine, withSymbols } from "./tree-symbols.tsx";

/** Renders the file tree with a filter. */
export function FileTree({ controller }: { readonly controller: DiffController }) {
  const files = useSession((session) => session.files);
  const filter = useView((view) => view.filter);
  const closed = useView((view) => view.closedFolders);
  const shown = useMemo(() => filterFiles(files, filter), [files, filter]);
  const rows = useMemo(() => treeRows(shown, filter === "" ? closed : new Set()), [shown, closed, filter]);
  const symbols = useSymbols((state) => (state.isShown ? state.files : NO_SYMBOLS));
  const items = useMemo(() => withSymbols(rows, symbols), [rows, symbols]);
  const current = useCursor((state) => state.file);
  const inView = useMemo(() => items.findIndex(({ row }) => row.file?.path === current), [items, current]);

  return (
    <nav className="tree" aria-label="Files">
      <div className="tree-filter">
        <Search size={14} aria-hidden />
        <input
          id="file-filter"
          type="search"
          value={filter}
          placeholder="Filter files"
          aria-label="Filter files"
          onChange={(event) => useView.setState({ filter: event.target.value })}
          onKeyDown={(event) => {
            const [first] = shown;
            if (event.key === "Enter" && first) chooseFile(controller, first.path);
            else if (event.key === "Escape") useView.setState({ filter: "" });
            else return;
            event.currentTarget.blur();
          }}
        />
        <SymbolsButton />
      </div>
      <p className="tree-summary">
        {filter === "" ? <TreeSummary /> : `${shown.length} of ${files.length} files`}
      </p>
      <MechanicalSummary />
      {shown.length === 0 && filter !== "" && <p className="tree-empty">No file matches “{filter}”.</p>}
      <FixedList
        items={items}
        inView={inView}
        render={({ key, row, symbol }) =>
          symbol ? (
            <SymbolLine
              key={key}
              row={row}
              symbol={symbol}
              onChoose={(path, line) => {
                if (coversDiff()) useView.setState({ treeOpen: false });
                void goToNewLine(controller, path, line);
              }}
            />
          ) : (
            <TreeLine key={key} row={row} controller={controller} />
          )
        }
      />
    </nav>
  );
}

const NO_SYMBOLS: ReadonlyMap<string, readonly ChangedSymbol[]> = new Map();

function chooseFile(controller: DiffController, path: string): void {
  if (coversDiff()) useView.setState({ treeOpen: false });
  goToFile(controller, path);
}

function SymbolsButton() {
  const { isShown, isLoading } = useSymbols();
  const canList = useSession((session) => hasTexts(session.files));
  if (!canList) return null;
  return (
    <IconButton
      small
      label="Changed functions and types"
      shortcut={getShortcutKey("symbols")}
      aria-pressed={isShown}
      aria-busy={isLoading}
      onClick={() => void toggleSymbols()}
    >
      <Braces size={15} aria-hidden />
    </IconButton>
  );
}

function TreeSummary() {
  const files = useSession((session) => session.files);
  const viewed = useView((view) => files.filter((file) => isViewed(view, file)).length);
  const sums = useMemo(
    () => ({
      additions: files.reduce((sum, file) => sum + file.additions, 0),
      deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    }),
    [files],
  );
  return (
    <>
      {files.length === 1 ? "1 file" : `${thousands(files.length)} files`} <Counts file={sums} />
      <span className="tree-viewed">
        {viewed}/{files.length} viewed
      </span>
    </>
  );
}

/** Renders the number of files with only mechanical changes and a button that folds or unfolds them. */
function MechanicalSummary() {
  const total = useSession((session) => session.files.length);
  const mechanical = useMechanical(({ files }) => files);
  const isFolded = useView((view) => [...mechanical.keys()].every((path) => view.folded.get(path) === true));
  if (mechanical.size === 0) return null;
  return (
    <p className="tree-summary tree-mechanical">
      <span>
        {thousands(mechanical.size)} of {total === 1 ? "1 file is" : `${thousands(total)} files are`}{" "}
        mechanical
      </span>
      <Button small variant="quiet" aria-pressed={isFolded} onClick={toggleMechanical}>
        {isFolded ? "Unfold" : "Fold"} <KeyHint keys={getShortcutKey("mechanical")} />
      </Button>
    </p>
  );
}

interface TreeLineProps {
  readonly row: TreeRow;
  readonly controller: DiffController;
}

const TreeLine = memo(function TreeLine({ row, controller }: TreeLineProps) {
  return row.file ? <FileLine row={row} controller={controller} /> : <FolderLine row={row} />;
});

function FolderLine({ row }: { readonly row: TreeRow }) {
  const toggle = () =>
    useView.setState(({ closedFolders }) => {
      const next = new Set(closedFolders);
      if (!next.delete(row.folder ?? "")) next.add(row.folder ?? "");
      return { closedFolders: next };
    });
  const Chevron = row.open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      className="tree-line tree-folder"
      style={{ paddingLeft: 8 + row.depth * 12 }}
      aria-expanded={row.open}
      onClick={toggle}
    >
      <Chevron size={14} aria-hidden />
      <span className="tree-name">{withDeceptionsShown(row.name)}</span>
      {!row.open && <span className="badge">{row.fileCount}</span>}
    </button>
  );
}

function FileLine({ row, controller }: TreeLineProps) {
  const file = row.file;
  const isCurrent = useCursor((state) => state.file === file?.path);
  const viewed = useView((view) => file !== undefined && isViewed(view, file));
  const written = useComments(
    ({ comments }) => nonEmptyComments(comments).filter(({ path }) => path === file?.path).length,
  );
  const count = written + useThreads(() => openThreadsIn(file?.path));
  const since = useRounds(({ compared }) => file && sinceRound(compared, file));
  if (!file) return null;
  return (
    <button
      type="button"
      className={viewed ? "tree-line tree-file tree-file-viewed" : "tree-line tree-file"}
      style={{ paddingLeft: 10 + row.depth * 12 }}
      aria-current={isCurrent || undefined}
      title={withDeceptionsShown(file.path)}
      onClick={() => chooseFile(controller, file.path)}
    >
      <StatusLetter status={file.status} />
      <span className="tree-name">{withDeceptionsShown(row.name)}</span>
      {(since === "new" || since === "changed") && (
        <span
          className="tree-since"
          role="img"
          aria-label="changed since your last feedback"
          title="Changed since your last feedback"
        />
      )}
      {count > 0 && (
        <span className="tree-comments" title={counted(count)}>
          <MessageSquare size={12} aria-hidden /> <span aria-hidden>{count}</span>
          <span className="visually-hidden">{counted(count)}</span>
        </span>
      )}
      {viewed && <Check size={13} aria-label="viewed" />}
      <Counts file={file} />
    </button>
  );
}

function counted(comments: number): string {
  return comments === 1 ? "1 comment" : `${comments} comments`;
}
