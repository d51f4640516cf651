import "../styles/palette.css";
import { type KeyboardEvent, useMemo, useState } from "react";
import { Dialog } from "../components/dialog.tsx";
import { isOnMac, keyLabels } from "../keyboard/keys.ts";
import type { PaletteEntry, PaletteGroup } from "./palette-entries.ts";

interface PaletteProps {
  readonly title: string;
  /** Name of the text field. */
  readonly fieldLabel: string;
  readonly placeholder: string;
  /** Shown if no entry matches. */
  readonly emptyText: string;
  /** Returns the entries that match a text, by group. Must be the same function until the entries change. */
  readonly find: (text: string) => readonly PaletteGroup[];
  readonly onClose: () => void;
}

/** Renders the dialog that finds the content and the commands of a page by part of their name. */
export function Palette({ title, fieldLabel, placeholder, emptyText, find, onClose }: PaletteProps) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [selected] = useState(selectedRange);
  const groups = useMemo(() => find(text), [find, text]);
  const entries = groups.flatMap((group) => group.entries);

  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    // Runs after the dialog has restored the focus, which the command may move.
    setTimeout(() => {
      select(selected);
      entry.run();
    });
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
    <Dialog title={title} onClose={onClose}>
      <input
        className="input"
        data-initial-focus
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={entries.length > 0 ? `palette-${at}` : undefined}
        aria-label={fieldLabel}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {/* The text field handles the arrow keys and keeps the focus. */}
      <div id="palette-list" role="listbox" tabIndex={-1} className="palette-list" aria-label="Results">
        {groups.map((group, index) => (
          <Results
            key={group.name}
            group={group}
            first={groups.slice(0, index).reduce((sum, before) => sum + before.entries.length, 0)}
            at={at}
            choose={choose}
          />
        ))}
      </div>
      <p className="hint" role="status">
        {entries.length === 0 && emptyText}
      </p>
    </Dialog>
  );
}

/** Returns the selected range of the page, which is lost when the palette's field gets the focus. */
function selectedRange(): Range | undefined {
  const selection = getSelection();
  return selection && !selection.isCollapsed ? selection.getRangeAt(0).cloneRange() : undefined;
}

function select(range: Range | undefined): void {
  const selection = getSelection();
  if (!range?.startContainer.isConnected || !selection) return;
  selection.removeAllRanges();
  selection.addRange(range);
}

interface ResultsProps {
  readonly group: PaletteGroup;
  /** Index of the first entry in the whole list. */
  readonly first: number;
  readonly at: number;
  readonly choose: (entry: PaletteEntry) => void;
}

function Results({ group: { name, entries }, first, at, choose }: ResultsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
    <div role="group" aria-label={name} className="palette-group">
      <div className="palette-heading" aria-hidden>
        {name}
      </div>
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
        <div
          key={entry.id ?? entry.label}
          id={`palette-${first + index}`}
          role="option"
          tabIndex={-1}
          aria-selected={first + index === at}
          className="palette-entry"
          onClick={() => choose(entry)}
        >
          <span>{entry.label}</span>
          <span className="palette-side">
            {entry.detail !== undefined && <span className="palette-detail">{entry.detail}</span>}
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
