import type { DiffSession } from "../../diff-session.ts";
import { type CompressedRound, captureDiff, compressDiff } from "./sent-diff.ts";

/** The diffs on which the person sent batches of a live review. */
export interface SentDiffs {
  /** Keeps the current diff for a round. Never rejects: a failure only disables the comparison. */
  keep(round: number): Promise<void>;
  /** Returns the diff of a round, by default the last one that was sent. */
  find(round: number | undefined): CompressedRound | undefined;
}

/** Number of rounds that are kept. */
const MAX_ROUNDS = 10;

export function createSentDiffs(diffs: DiffSession): SentDiffs {
  let sent: readonly CompressedRound[] = [];
  return {
    async keep(round) {
      const diff = await diffs.current().catch(() => undefined);
      if (!diff) return;
      try {
        const compressed = await compressDiff(await captureDiff(diff.snapshot));
        sent = [...sent.filter((each) => each.round !== round), { round, compressed }].slice(-MAX_ROUNDS);
      } catch {
        // The batch was sent; the page reports that there is no diff to compare with.
      } finally {
        diff.release();
      }
    },
    find: (round) => (round === undefined ? sent.at(-1) : sent.find((each) => each.round === round)),
  };
}
