import { useRef } from "react";
import { explain } from "../../shared/api/client.ts";
import { showToast } from "../../shared/components/toast.tsx";
import { diffLabel } from "../state/diff-label.ts";
import { switchDiff, useSession } from "../state/session.ts";
import { openDialog, useView } from "../state/view.ts";

/** The option that opens the dialog for another diff. */
const ANOTHER = "another";

/** Switches the diff. Shows a toast if this fails. Resolves to whether the diff was switched. */
export async function chooseDiff(diffType: string): Promise<boolean> {
  const result = await switchDiff(diffType, useView.getState().whitespace);
  if (!result.ok) showToast(`Cannot switch the diff: ${explain(result)}`, { tone: "danger" });
  return result.ok;
}

/**
 * Renders the selection of the diff: the common types, the repository's other types and, with git, a search for a
 * branch or commit. A choice by key keeps the focus, so that arrow keys can step through the options. A choice by
 * pointer removes the focus, so that the page's shortcuts work again.
 */
export function DiffSelect() {
  const index = useSession((session) => session.index);
  const switching = useSession((session) => session.switching);
  const isByKey = useRef(false);
  if (!index) return null;
  const { diffOptions, moreDiffOptions } = index.gitContext;
  const isGit = index.source === "git";
  if (!isGit && diffOptions.length + moreDiffOptions.length < 2) return null;
  const known = [...diffOptions, ...moreDiffOptions].some(({ id }) => id === index.diffType);
  const choose = (diffType: string) => {
    if (diffType === ANOTHER) openDialog("compare");
    else void chooseDiff(diffType);
  };
  return (
    <label className="diff-select">
      <span className="visually-hidden">What is compared</span>
      <select
        className="input"
        value={index.diffType}
        // A disabled select loses the focus.
        aria-disabled={switching}
        onKeyDown={() => {
          isByKey.current = true;
        }}
        onPointerDown={() => {
          isByKey.current = false;
        }}
        onChange={({ target }) => {
          if (switching) return;
          if (!isByKey.current) target.blur();
          choose(target.value);
        }}
      >
        {!known && <option value={index.diffType}>{diffLabel(index, index.diffType)}</option>}
        {diffOptions.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
        <optgroup label="More" hidden={!isGit && moreDiffOptions.length === 0}>
          {moreDiffOptions.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
          {isGit && <option value={ANOTHER}>Search branches and commits …</option>}
        </optgroup>
      </select>
    </label>
  );
}
