import type { LiveBatch } from "../api-types.ts";

/** A batch that an agent takes. Call either `confirm` or `release`. */
export interface TakenBatch {
  /** Empty for a repeated end of the review, which needs no confirmation. */
  readonly id: string;
  readonly content: LiveBatch;
  /** Records that the agent has the batch. Resolves once that is on disk. */
  confirm(): Promise<void>;
  /** Makes the batch available to the next agent. */
  release(): void;
}

/** Returns the final batch for further agents, without the feedback that the first agent received. */
export function repeatedEnd({ event, round }: LiveBatch): TakenBatch {
  return {
    id: "",
    content: { event, round, threads: [], feedback: "" },
    confirm: async () => {},
    release: () => {},
  };
}
