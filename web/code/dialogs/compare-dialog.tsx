import "../../shared/styles/palette.css";
import { type KeyboardEvent, useEffect, useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { Revision, RevisionList } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { timeAgo } from "../../shared/time-ago.ts";
import { chooseDiff } from "../header/diff-select.tsx";
import { openDialog } from "../state/view.ts";

type Kind = "commit" | "base" | "range";
type Field = "base" | "head";

/** Milliseconds after the last keystroke until a search starts. */
const PAUSE_MS = 150;

/** Renders the dialog that finds a branch, tag or commit to show, or two to compare. */
export function CompareDialog() {
  const [kind, setKind] = useState<Kind>("commit");
  const [names, setNames] = useState<Readonly<Record<Field, string>>>({ base: "", head: "" });
  const [field, setField] = useState<Field>("base");
  const [sinceBase, setSinceBase] = useState(true);
  const [at, setAt] = useState(-1);
  const text = names[field];
  const { found, isSearching } = useRevisions(text);
  const isRange = kind === "range";
  const base = names.base.trim();
  // An empty head stands for the checked-out commit.
  const head = names.head.trim() || "HEAD";

  const show = async (name = base) => {
    if (name === "") return;
    const type = isRange ? `range:${name}${sinceBase ? "..." : ".."}${head}` : `${kind}:${name}`;
    if (await chooseDiff(type)) openDialog("none");
  };
  const pick = ({ name }: Revision) => {
    setNames({ ...names, [field]: name });
    setAt(-1);
    if (!isRange) void show(name);
    else setField(field === "base" ? "head" : "base");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[at];
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, -1));
    else if (event.key !== "Enter") return;
    else if (chosen) pick(chosen);
    else void show();
    event.preventDefault();
  };
  const nameField = (of: Field, label: string, placeholder: string) => (
    <label className="field">
      <span>{label}</span>
      <input
        className="input input-code"
        role="combobox"
        aria-expanded={field === of && found.length > 0}
        aria-controls="revision-list"
        aria-activedescendant={field === of && at >= 0 ? `revision-${at}` : undefined}
        data-initial-focus={of === "base" ? true : undefined}
        value={names[of]}
        placeholder={placeholder}
        spellCheck={false}
        onFocus={() => {
          setField(of);
          setAt(-1);
        }}
        onChange={(event) => {
          setNames({ ...names, [of]: event.target.value });
          setAt(-1);
        }}
        onKeyDown={onKeyDown}
      />
    </label>
  );

  return (
    <Dialog
      title="Show another diff"
      onClose={() => openDialog("none")}
      footer={
        <>
          <Button onClick={() => openDialog("none")}>Cancel</Button>
          <Button variant="primary" disabled={base === ""} onClick={() => void show()}>
            Show
          </Button>
        </>
      }
    >
      <Segmented
        label="What to show"
        value={kind}
        onChange={(next) => {
          setKind(next);
          setField("base");
        }}
        options={[
          { value: "commit", label: "One commit" },
          { value: "base", label: "All changes since a base" },
          { value: "range", label: "Base and head" },
        ]}
      />
      {nameField(
        "base",
        kind === "commit" ? "Commit" : "Base",
        "branch, tag, commit or words of its message",
      )}
      {isRange && nameField("head", "Head", "HEAD")}
      {isRange && (
        <label className="check">
          <input type="checkbox" checked={sinceBase} onChange={() => setSinceBase(!sinceBase)} /> Leave out
          later commits of the base (base…head)
        </label>
      )}
      <Results found={found} at={at} pick={pick} />
      {found.length === 0 && (
        <p className="hint" role="status">
          {isSearching
            ? "Searching …"
            : "No match. You can also type another name that git understands, for example HEAD~2."}
        </p>
      )}
    </Dialog>
  );
}

/** Searches while the person types. Keeps the last results until the next ones arrive. */
function useRevisions(text: string): { found: readonly Revision[]; isSearching: boolean } {
  const [result, setResult] = useState<{ text: string; found: readonly Revision[] }>({
    text: "\0",
    found: [],
  });
  useEffect(() => {
    const stop = new AbortController();
    const search = async () => {
      const query = new URLSearchParams({ text: text.trim().slice(0, 200) });
      const found = await getJson<RevisionList>(`/api/revisions?${query}`, { signal: stop.signal });
      if (!stop.signal.aborted) setResult({ text, found: found.ok ? found.value.revisions : [] });
    };
    const timer = setTimeout(() => void search(), text === "" ? 0 : PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [text]);
  return { found: result.found, isSearching: result.text !== text };
}

interface ResultsProps {
  readonly found: readonly Revision[];
  readonly at: number;
  readonly pick: (revision: Revision) => void;
}

/** Renders the search results. The text fields keep the focus and handle the arrow keys. */
function Results({ found, at, pick }: ResultsProps) {
  useEffect(() => document.getElementById(`revision-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <div id="revision-list" role="listbox" tabIndex={-1} className="palette-list" aria-label="Revisions">
      {found.map((revision, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the fields above handle the keys
        <div
          key={`${revision.kind} ${revision.name}`}
          id={`revision-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className="palette-entry"
          onClick={() => pick(revision)}
        >
          <span>
            {revision.kind === "commit" ? (
              <>
                <code>{revision.sha.slice(0, 7)}</code> {withDeceptionsShown(revision.title)}
              </>
            ) : (
              <>
                {revision.kind === "tag" && <span className="revision-kind">tag </span>}
                <strong>{withDeceptionsShown(revision.name)}</strong>{" "}
                <span className="revision-note">{withDeceptionsShown(revision.title)}</span>
              </>
            )}
          </span>
          <span className="revision-note">
            {withDeceptionsShown(revision.author)}, {timeAgo(revision.at)}
          </span>
        </div>
      ))}
    </div>
  );
}
