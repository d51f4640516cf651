import { create } from "zustand";
import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { DiffFile, DiffRound, DiffRounds, SinceLastRound } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { useSession } from "./session.ts";
import { useView } from "./view.ts";

/** Lines of one file that are new since the last round. */
export type LinesSince = Readonly<Record<Side, ReadonlySet<number>>>;

interface RoundsState {
  /** What was sent before about this branch, oldest first. */
  readonly rounds: readonly DiffRound[];
  /** The last round on the diff on screen; undefined where feedback was sent on other diffs only. */
  readonly compared: DiffRound | undefined;
  /** By path, of the diff on screen. */
  readonly lines: ReadonlyMap<string, LinesSince>;
  /** By the id of a note of the last round: where its lines are now. */
  readonly positions: ReadonlyMap<string, SinceLastRound["places"][0]>;
}

export const useRounds = create<RoundsState>(() => ({
  rounds: [],
  compared: undefined,
  lines: new Map(),
  positions: new Map(),
}));

/** Keeps up with the diff on screen from now on. */
export function followRounds(): Promise<void> {
  useSession.subscribe((state, before) => {
    if (state.index !== before.index) void loadRounds();
  });
  return loadRounds();
}

/** A server without rounds, or without any yet, is no failure. */
async function loadRounds(): Promise<void> {
  const { index } = useSession.getState();
  const result = await getJson<DiffRounds>(`/api/diff/rounds${useView.getState().whitespace ? "" : "?w=1"}`);
  if (!result.ok || useSession.getState().index !== index) return;
  const { rounds, since } = result.value;
  const isOfThis = since?.diffId === index?.diffId;
  const files = isOfThis ? (since?.files ?? []) : [];
  const positions = isOfThis ? (since?.places ?? []) : [];
  useRounds.setState({
    rounds,
    compared: isOfThis ? rounds.find(({ round }) => round === since?.comparedWith) : undefined,
    lines: new Map(files.map((file) => [file.path, { old: new Set(file.old), new: new Set(file.new) }])),
    positions: new Map(positions.map((position) => [position.id, position])),
  });
}

export type SinceLast = "new" | "changed" | "same";

/** Returns what became of a file since a round on the same diff; undefined where there is none to compare with. */
export function sinceRound(round: DiffRound | undefined, file: DiffFile): SinceLast | undefined {
  if (!round) return undefined;
  const then = round.files.find(({ path }) => path === file.path);
  if (!then) return "new";
  return then.fingerprint === file.fingerprint ? "same" : "changed";
}
