import { ArrowLeftRight } from "lucide-react";
import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffMove } from "../../../src/review/api-types.ts";
import { announce } from "../../shared/components/toast.tsx";
import { moveAt, otherEnd, rangeOn } from "../core/moves.ts";
import { setCursor, useCursor } from "../state/cursor.ts";
import { useMoves } from "../state/moves.ts";
import { fileAt } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { setFolded } from "../state/view.ts";
import type { DiffController } from "./controller.ts";

interface MoveLinkProps {
  readonly controller: DiffController;
  readonly move: DiffMove;
  readonly side: Side;
}

/** Renders a link from the first line of a moved block to its other end. */
export function MoveLink({ controller, move, side }: MoveLinkProps) {
  const there = otherEnd(move, side, rangeOn(move, side).lineStart);
  const path = withDeceptionsShown(there.path);
  const word = side === "old" ? "Moved to" : "Moved from";
  const name =
    move.from.path === move.to.path
      ? `line ${there.number}`
      : `${path.slice(path.lastIndexOf("/") + 1)}:${there.number}`;
  return (
    <span role="cell" className="move-cell" data-side={side}>
      <button
        type="button"
        className="move-link"
        aria-label={`${word} ${path}, line ${there.number}`}
        title={`${word} ${path}:${there.number}${move.changed ? ", edited" : ""} (G)`}
        onClick={() => goToOtherEnd(controller, move, side, rangeOn(move, side).lineStart)}
      >
        <ArrowLeftRight size={12} aria-hidden />
        <span className="move-label">
          {word} {name}
          {move.changed && ", edited"}
        </span>
      </button>
    </span>
  );
}

/** Moves the cursor to the other end of the move at the cursor. */
export function goToOtherEndHere(controller: DiffController): void {
  const { cursor } = useCursor.getState();
  const move = cursor && moveAt(useMoves.getState().files.get(cursor.path), cursor.side, cursor.number);
  if (move) goToOtherEnd(controller, move, cursor.side, cursor.number);
  else announce("The line at the cursor was not moved");
}

function goToOtherEnd(controller: DiffController, move: DiffMove, side: Side, number: number): void {
  const there = otherEnd(move, side, number);
  const file = fileAt(useSession.getState().files, there.path);
  if (!file) return;
  setFolded(file, false);
  setCursor(there);
  controller.scrollToLine(there, true);
  announce(`Line ${there.number} of ${there.path}, ${there.side} side`);
}
