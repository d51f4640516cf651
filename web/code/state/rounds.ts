import { create } from "zustand";
import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { DiffRound, DiffRounds, SinceLastRound } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { useSession } from "./session.ts";
import { useView } from "./view.ts";

/** Lines of one file that are new since the round `compared`. */
export type LinesSince = Readonly<Record<Side, ReadonlySet<number>>>;

interface RoundsState {
  /** The earlier feedback for this branch, oldest first. */
  readonly rounds: readonly DiffRound[];
  /** The last round on the current diff; undefined if there is none. */
  readonly compared: DiffRound | undefined;
  /** The lines that are new since that round, by path in the current diff. */
  readonly lines: ReadonlyMap<string, LinesSince>;
  /** The current lines of the last round's annotations, by annotation id. */
  readonly positions: ReadonlyMap<string, SinceLastRound["places"][0]>;
}

export const useRounds = create<RoundsState>(() => ({
  rounds: [],
  compared: undefined,
  lines: new Map(),
  positions: new Map(),
}));

/** Loads the rounds now and whenever the diff changes. */
export function followRounds(): Promise<void> {
  useSession.subscribe((state, before) => {
    if (state.index !== before.index) void loadRounds();
  });
  return loadRounds();
}

/** Loads the rounds. After a failure, the rounds of the page do not change. */
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
