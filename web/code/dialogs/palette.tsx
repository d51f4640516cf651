import { type KeyboardEvent, useMemo, useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { Dialog } from "../../shared/components/dialog.tsx";
import { isOnMac, keyLabels } from "../../shared/keyboard/keys.ts";
import type { Shortcut } from "../../shared/keyboard/shortcuts.ts";
import type { DiffController } from "../diff/controller.ts";
import { goToFile } from "../moving.ts";
import { useSession } from "../state/session.ts";
import { isViewed, openDialog, useView } from "../state/view.ts";
import { keylessCommands } from "./keyless-commands.ts";
import { type Command, type PaletteGroup, paletteGroups } from "./palette-entries.ts";

interface PaletteProps {
  readonly controller: DiffController;
  readonly commands: readonly Shortcut[];
}

interface Entry extends Command {
  readonly file?: DiffFile;
}

/** Renders the dialog that finds files and commands by part of their name. */
export function Palette({ controller, commands }: PaletteProps) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const content = useContent(commands);
  const groups = useMemo(() => paletteGroups(text, content), [text, content]);
  const lists = useMemo(() => groups.map((group) => toEntries(group, controller)), [groups, controller]);
  const entries = lists.flat();

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
    <Dialog title="Files and commands" onClose={() => openDialog("none")}>
      <input
        className="input"
        data-initial-focus
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={entries.length > 0 ? `palette-${at}` : undefined}
        aria-label="File or command"
        placeholder="Type a part of a path or a command"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {/* The text field handles the arrow keys and keeps the focus. */}
      <div id="palette-list" role="listbox" tabIndex={-1} className="palette-list" aria-label="Results">
        {groups.map(({ name }, group) => (
          <Results
            key={name}
            name={name}
            entries={lists[group] ?? []}
            first={lists.slice(0, group).flat().length}
            at={at}
            choose={choose}
          />
        ))}
      </div>
      {entries.length === 0 && <p className="hint">No matching files or commands.</p>}
    </Dialog>
  );
}

/** Returns the commands of the page and its files, unviewed files first. */
function useContent(commands: readonly Shortcut[]) {
  const session = useSession();
  const view = useView();
  return useMemo(() => {
    const viewed = session.files.filter((file) => isViewed(view, file));
    const others = session.files.filter((file) => !isViewed(view, file));
    const toCommand = ({ label, keys, run }: Shortcut): Command => ({ label, key: keys[0], run });
    return {
      files: [...others, ...viewed],
      actions: [
        ...keylessCommands(session, view),
        ...commands.filter(({ kind }) => kind !== "move").map(toCommand),
      ],
      moves: commands.filter(({ kind }) => kind === "move").map(toCommand),
    };
  }, [commands, session, view]);
}

function toEntries({ files, commands }: PaletteGroup, controller: DiffController): readonly Entry[] {
  const ofFiles = files.map((file) => ({
    label: withDeceptionsShown(file.path),
    file,
    run: () => goToFile(controller, file.path),
  }));
  return [...ofFiles, ...commands];
}

interface ResultsProps {
  readonly name: string;
  readonly entries: readonly Entry[];
  /** Index of the first entry in the whole list. */
  readonly first: number;
  readonly at: number;
  readonly choose: (entry: Entry) => void;
}

function Results({ name, entries, first, at, choose }: ResultsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
    <div role="group" aria-label={name} className="palette-group">
      <div className="palette-heading" aria-hidden>
        {name}
      </div>
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
        <div
          key={entry.file?.path ?? entry.label}
          id={`palette-${first + index}`}
          role="option"
          tabIndex={-1}
          aria-selected={first + index === at}
          className="palette-entry"
          onClick={() => choose(entry)}
        >
          <span>{entry.label}</span>
          <span>
            {(entry.key === undefined ? [] : keyLabels(entry.key, isOnMac())).map((key) => (
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
