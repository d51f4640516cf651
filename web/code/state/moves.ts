import { create } from "zustand";
import { findLine, lineText, type Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { DiffMove, DiffMoves } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { byFile, type FileMoves, otherEnd } from "../core/moves.ts";
import { fileAt } from "./positions.ts";
import { useSession } from "./session.ts";

interface MovesState {
  /** The moves of each file, by path in the current diff. */
  readonly files: ReadonlyMap<string, FileMoves>;
  /** The number of moved lines. */
  readonly lines: number;
}

export const useMoves = create<MovesState>(() => ({ files: new Map(), lines: 0 }));

/** Loads the moved lines now and whenever the diff changes. After a failure, the page shows no moves. */
export function followMoves(): Promise<void> {
  useSession.subscribe((state, before) => {
    if (state.index !== before.index || state.since !== before.since) void loadMoves();
  });
  return loadMoves();
}

async function loadMoves(): Promise<void> {
  const { index, since, diffQuery } = useSession.getState();
  // Clears the moves, whose line numbers are those of another diff.
  useMoves.setState({ files: new Map(), lines: 0 });
  if (!index || since !== undefined) return;
  const result = await getJson<DiffMoves>(`/api/diff/moves?${diffQuery}`);
  const now = useSession.getState();
  if (now.index !== index || now.since !== since) return;
  const moves = result.ok ? result.value.moves : [];
  useMoves.setState({
    files: byFile(moves),
    lines: moves.reduce((sum, { to }) => sum + to.lineEnd - to.lineStart + 1, 0),
  });
}

/** Returns the text of the line at the other end of a move; undefined if it is not loaded. */
export function textAtOtherEnd(move: DiffMove, side: Side, number: number): string | undefined {
  const there = otherEnd(move, side, number);
  const { files, patches } = useSession.getState();
  const patch = patches?.get(fileAt(files, there.path)?.index ?? -1);
  const line = patch ? findLine(patch, there.side, there.number) : -1;
  return patch && line >= 0 ? lineText(patch, line) : undefined;
}

const requested = new Set<string>();

/** Loads the patch at the other end of an edited move, to show what was edited. */
export async function loadOtherEnd(move: DiffMove, side: Side): Promise<void> {
  const { files, patches, index } = useSession.getState();
  const file = fileAt(files, otherEnd(move, side, 0).path);
  const key = `${index?.diffId} ${file?.index}`;
  if (!file || !patches || patches.get(file.index) || patches.hasFailed(file.index)) return;
  if (requested.has(key)) return;
  requested.add(key);
  await patches.ensure(file.index);
  requested.delete(key);
}
