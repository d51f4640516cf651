import { type KeyboardEvent, useMemo, useState } from "react";
import { filterFiles } from "../../../src/render/diff/patch/file-tree.ts";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { Dialog } from "../../shared/components/dialog.tsx";
import { isOnMac, keyLabels } from "../../shared/keyboard/keys.ts";
import type { Shortcut } from "../../shared/keyboard/shortcuts.ts";
import type { DiffController } from "../diff/controller.ts";
import { goToFile } from "../moving.ts";
import { useSession } from "../state/session.ts";
import { openDialog } from "../state/view.ts";

interface PaletteProps {
  readonly controller: DiffController;
  readonly commands: readonly Shortcut[];
}

interface Entry {
  readonly key: string;
  readonly label: string;
  readonly keys: readonly string[];
  readonly run: () => void;
}

/** Maximum number of listed files. */
const MAX_FILES = 30;

/** Finds commands and files by part of their name. */
export function Palette({ controller, commands }: PaletteProps) {
  const files = useSession((session) => session.files);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const entries = useMemo(
    () => entriesFor(text, { commands, files, controller }),
    [text, commands, files, controller],
  );

  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    openDialog("none");
    // Runs after the dialog has restored the focus, which the command may move.
    setTimeout(entry.run);
  };
  const move = (step: number) => {
    const next = (at + step + entries.length) % Math.max(1, entries.length);
    setAt(next);
    document.getElementById(`palette-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") choose(entries[at]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Commands and files" onClose={() => openDialog("none")}>
      <input
        className="input"
        data-initial-focus
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={entries.length > 0 ? `palette-${at}` : undefined}
        aria-label="Command or file"
        placeholder="Type a command or a part of a path"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Results entries={entries} at={at} choose={choose} />
      {entries.length === 0 && <p className="hint">No matching commands or files.</p>}
    </Dialog>
  );
}

/**
 * Returns the commands and files whose name contains every word, ignoring case. Without a word: all commands, no
 * files.
 */
function entriesFor(
  text: string,
  { commands, files, controller }: PaletteProps & { readonly files: readonly DiffFile[] },
): readonly Entry[] {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = commands.filter(({ label }) => terms.every((word) => label.toLowerCase().includes(word)));
  const found = text === "" ? [] : filterFiles(files, text).slice(0, MAX_FILES);
  return [
    ...wanted.map(({ label, keys, run }) => ({
      key: label,
      label,
      keys: keyLabels(keys[0] ?? "", isOnMac()),
      run,
    })),
    ...found.map(({ path }) => ({
      key: path,
      label: withDeceptionsShown(path),
      keys: [],
      run: () => goToFile(controller, path),
    })),
  ];
}

interface ResultsProps {
  readonly entries: readonly Entry[];
  readonly at: number;
  readonly choose: (entry: Entry) => void;
}

/** The text field handles the arrow keys and keeps the focus. */
function Results({ entries, at, choose }: ResultsProps) {
  return (
    <div id="palette-list" role="listbox" tabIndex={-1} className="palette-list" aria-label="Results">
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
        <div
          key={entry.key}
          id={`palette-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className="palette-entry"
          onClick={() => choose(entry)}
        >
          <span>{entry.label}</span>
          <span>
            {entry.keys.map((key) => (
              <kbd key={key} className="key">
                {key}
              </kbd>
            ))}
          </span>
        </div>
      ))}
    </div>
  );
}
