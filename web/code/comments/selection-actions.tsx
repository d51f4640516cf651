import { CircleAlert, CircleQuestionMark, MessageSquare, PenLine, Waypoints } from "lucide-react";
import { useEffect, useState } from "react";
import { useAsk } from "../../shared/ask/ask-store.ts";
import { Button } from "../../shared/components/button.tsx";
import { isTouched } from "../../shared/selection/last-pointer.ts";
import { followSelection } from "../../shared/selection/settled-selection.ts";
import type { CommentType } from "../core/comment.ts";
import type { LineRange } from "../state/cursor.ts";
import { openReferences, selectedName } from "../state/references.ts";
import { useSession } from "../state/session.ts";
import { hasTexts } from "../state/symbols.ts";
import { askAbout } from "./ask-about.ts";
import { getSelectedLines } from "./selected-lines.ts";
import { commentOnLines } from "./start.ts";

interface SelectedLines {
  readonly range: LineRange;
  /** The selected text, if it is a name with possible references. */
  readonly name: string | undefined;
  /** Pixels from the top left corner of the window. */
  readonly left: number;
  readonly top: number;
}

const ACTIONS = [
  { type: "comment", label: "Comment", Icon: MessageSquare },
  { type: "suggestion", label: "Suggest", Icon: PenLine },
  { type: "concern", label: "Concern", Icon: CircleAlert },
] as const satisfies { type: CommentType; label: string; Icon: unknown }[];

/** Renders the actions for the selected lines. They move with the selection when the diff scrolls. */
export function SelectionActions() {
  const [selected, setSelected] = useState<SelectedLines>();
  useEffect(() => {
    const look = () => setSelected(selectedLines());
    const stop = followSelection({ onSettled: look, onCleared: () => setSelected(undefined) });
    const onScroll = () => setSelected((before) => before && selectedLines());
    document.addEventListener("scroll", onScroll, { capture: true, passive: true });
    return () => {
      stop();
      document.removeEventListener("scroll", onScroll, { capture: true });
    };
  }, []);
  const canAsk = useAsk(({ model }) => model !== undefined);
  if (!selected) return null;
  const { range, name, left, top } = selected;
  // At least the width of all buttons, so that every button is inside the window.
  const width = 20 + (name === undefined ? 0 : 8) + (canAsk ? 5 : 0);
  return (
    <div
      className="line-actions no-print"
      role="toolbar"
      aria-label="Comment on the selected lines"
      style={{ top, "--left": `${left}px`, "--width": `${width}rem` } as React.CSSProperties}
      onPointerDown={(event) => event.preventDefault()}
    >
      {ACTIONS.filter(({ type }) => type !== "suggestion" || range.side === "new").map(
        ({ type, label, Icon }) => (
          <Button
            key={type}
            small
            variant="quiet"
            onClick={() => {
              getSelection()?.removeAllRanges();
              commentOnLines(range, type);
            }}
          >
            <Icon size={15} aria-hidden /> {label}
          </Button>
        ),
      )}
      {name !== undefined && (
        <Button
          small
          variant="quiet"
          onClick={() => {
            getSelection()?.removeAllRanges();
            openReferences(name);
          }}
        >
          <Waypoints size={15} aria-hidden /> References
        </Button>
      )}
      {canAsk && (
        <Button
          small
          variant="quiet"
          onClick={() => {
            getSelection()?.removeAllRanges();
            askAbout(range, undefined);
          }}
        >
          <CircleQuestionMark size={15} aria-hidden /> Ask
        </Button>
      )}
    </div>
  );
}

/**
 * Returns the selected lines with the toolbar's position: above the selection, or below it after a touch,
 * because the system's own toolbar is above.
 */
function selectedLines(): SelectedLines | undefined {
  const range = getSelectedLines();
  const box = range && getSelection()?.getRangeAt(0).getBoundingClientRect();
  if (!range || !box) return undefined;
  const wanted = isTouched() ? box.bottom + 28 : box.top - 44;
  return {
    range,
    name: canLookUp() ? selectedName() : undefined,
    left: box.left,
    top: Math.min(Math.max(60, wanted), innerHeight - 60),
  };
}

/**
 * Returns whether the server can look up a name: a saved page has no server, and the changes since a round
 * have other line numbers.
 */
function canLookUp(): boolean {
  const { index, since, files } = useSession.getState();
  return index !== undefined && since === undefined && hasTexts(files);
}
