import { ArrowDown, ArrowUp, CaseSensitive, Regex, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { IconButton } from "../../shared/components/button.tsx";
import { announce } from "../../shared/components/toast.tsx";
import { keyName } from "../../shared/keyboard/keys.ts";
import { thousands } from "../core/count.ts";
import type { SearchQuery } from "../core/text/search.ts";
import type { DiffController } from "../diff/controller.ts";
import { setCursor } from "../state/cursor.ts";
import { closeSearch, firstMatch, MAX_MATCHES, search, stepMatch, useSearch } from "../state/search.ts";
import { useSession } from "../state/session.ts";
import { setFolded } from "../state/view.ts";

/** Moves the cursor to the next or previous match and scrolls to it. */
export async function goToMatch(controller: DiffController, step: 1 | -1): Promise<void> {
  await firstMatch();
  const match = stepMatch(step);
  const file = match && useSession.getState().files.find(({ path }) => path === match.path);
  if (!match || !file) return;
  setFolded(file, false);
  const line = { path: match.path, side: match.side, number: match.number };
  setCursor(line);
  controller.scrollToLine(line);
  const { current, matches } = useSearch.getState();
  announce(`${current + 1} of ${matches.length}, ${match.path} line ${match.number}`);
}

async function showAll(controller: DiffController): Promise<void> {
  await useSession.getState().patches?.ensureAll();
  if (useSearch.getState().open) controller.showWhole(true);
}

/** Renders the bar that searches the whole diff. */
export function FindBar({ controller }: { readonly controller: DiffController }) {
  const open = useSearch((state) => state.open);
  const query = useSearch((state) => state.query);
  const error = useSearch((state) => state.error);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!open) return;
    field.current?.focus();
    field.current?.select();
  }, [open]);
  useEffect(() => {
    if (!open) controller.showWhole(false);
  }, [open, controller]);
  if (!open) return null;

  const change = (part: Partial<SearchQuery>) => void search({ ...query, ...part });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") void goToMatch(controller, event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") closeSearch();
    else {
      // A second Ctrl+F opens the browser's search, which finds only rendered rows, so all rows are rendered.
      if (keyName(event) === "Mod+f") void showAll(controller);
      return;
    }
    event.preventDefault();
  };
  return (
    <search className="find-bar">
      <input
        ref={field}
        className="input"
        defaultValue={query.text}
        placeholder="Find in all files"
        aria-label="Find in all files of the diff"
        aria-invalid={error !== undefined}
        spellCheck={false}
        onChange={(event) => change({ text: event.target.value })}
        onKeyDown={onKeyDown}
      />
      <SearchOptions query={query} onChange={change} />
      <span className="find-count" role="status">
        <MatchCount />
      </span>
      <IconButton
        small
        label="Previous match"
        shortcut="Shift+Enter"
        onClick={() => void goToMatch(controller, -1)}
      >
        <ArrowUp size={15} aria-hidden />
      </IconButton>
      <IconButton small label="Next match" shortcut="Enter" onClick={() => void goToMatch(controller, 1)}>
        <ArrowDown size={15} aria-hidden />
      </IconButton>
      <IconButton small label="Close the search" shortcut="Esc" onClick={closeSearch}>
        <X size={15} aria-hidden />
      </IconButton>
    </search>
  );
}

interface SearchOptionsProps {
  readonly query: SearchQuery;
  readonly onChange: (part: Partial<SearchQuery>) => void;
}

function SearchOptions({ query: { matchCase, regex }, onChange }: SearchOptionsProps) {
  return (
    <>
      <IconButton
        small
        label="Match case"
        aria-pressed={matchCase}
        onClick={() => onChange({ matchCase: !matchCase })}
      >
        <CaseSensitive size={16} aria-hidden />
      </IconButton>
      <IconButton
        small
        label="Regular expression"
        aria-pressed={regex}
        onClick={() => onChange({ regex: !regex })}
      >
        <Regex size={15} aria-hidden />
      </IconButton>
    </>
  );
}

/** Renders the position of the current match and the total, or the reason why there is no match. */
function MatchCount() {
  const { query, matches, current, progress, error } = useSearch();
  const count = matches.length;
  if (error !== undefined) return "Invalid regular expression";
  if (query.text === "") return null;
  const searched = progress < 1 ? `, ${Math.round(progress * 100)} % searched` : "";
  if (count === 0) return progress < 1 ? `Searching${searched}` : "Nothing found";
  const more = count >= MAX_MATCHES ? "+" : "";
  return `${current < 0 ? "–" : thousands(current + 1)} of ${thousands(count)}${more}${searched}`;
}
