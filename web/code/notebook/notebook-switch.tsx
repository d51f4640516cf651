import "../styles/notebook.css";
import { Braces, NotebookText } from "lucide-react";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { IconButton } from "../../shared/components/button.tsx";
import { toggleRaw } from "../state/load-notebook.ts";
import { loadedNotebook, useNotebooks } from "../state/notebooks.ts";

/**
 * Renders the button that switches a notebook between its cells and the raw diff, or the reason why only the
 * raw diff is available.
 */
export function NotebookSwitch({ file }: { readonly file: DiffFile }) {
  const isRaw = useNotebooks(({ raw }) => raw.has(file.path));
  const problem = useNotebooks(() => loadedNotebook(file)?.problem);
  if (problem !== undefined) {
    return (
      <span className="badge notebook-problem" title={`Not shown by cells: ${problem}`}>
        raw: {problem}
      </span>
    );
  }
  const label = isRaw ? `Show ${file.path} by cells` : `Show the raw diff of ${file.path}`;
  return (
    <IconButton
      small
      className="notebook-switch"
      label={label}
      aria-pressed={isRaw}
      onClick={() => toggleRaw(file.path)}
    >
      {isRaw ? <NotebookText size={15} aria-hidden /> : <Braces size={15} aria-hidden />}
    </IconButton>
  );
}
