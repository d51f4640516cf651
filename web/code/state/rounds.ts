import { create } from "zustand";
import type { DiffFile, DiffRound, DiffRounds } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";

/** What was sent before about this branch, oldest first. */
export const useRounds = create<{ readonly rounds: readonly DiffRound[] }>(() => ({ rounds: [] }));

/** A server without rounds, or without any yet, is no failure. */
export async function loadRounds(): Promise<void> {
  const result = await getJson<DiffRounds>("/api/diff/rounds");
  if (result.ok) useRounds.setState({ rounds: result.value.rounds });
}

export type SinceLast = "new" | "changed" | "same";

/** What became of a file since feedback was last sent; undefined in a first review. */
export function sinceLastRound(rounds: readonly DiffRound[], file: DiffFile): SinceLast | undefined {
  const last = rounds.at(-1);
  if (!last) return undefined;
  const then = last.files.find(({ path }) => path === file.path);
  if (!then) return "new";
  return then.fingerprint === file.fingerprint ? "same" : "changed";
}
