import type { PlanAnnotation } from "./api-types.ts";

/** Types of drafts and earlier rounds. `api-types.ts` exports them with all others. */

/**
 * GET /api/draft, and the response to a PUT with status 409. The page defines `content`; the server stores it without
 * reading it.
 */
export interface Draft<Content = unknown> {
  /** Each PUT must increase it, or repeat it with the stored content; otherwise: 409 with the stored draft. */
  readonly generation: number;
  /** ISO 8601 */
  readonly savedAt: string;
  readonly content: Content | null;
  /** Set if another review stored the draft. */
  readonly isEarlier?: true;
  /** Path of the file with a stored draft that could not be read. */
  readonly damaged?: string;
}

/** GET /api/history: earlier rounds of this plan, oldest first. */
export interface History {
  readonly rounds: readonly Round[];
}

export interface Round {
  readonly round: number;
  readonly plan: string;
  /** ISO 8601 */
  readonly arrivedAt: string;
  readonly decision?: {
    readonly decision: "approve" | "deny";
    /** Whether a page or another program sent the decision; absent in rounds of version 0.1. */
    readonly from?: "page" | "program";
    readonly feedback?: string;
    readonly decidedAt: string;
    readonly annotations?: readonly PlanAnnotation[];
  };
  /** Unsent text of a round without a decision. */
  readonly draft?: Draft;
}

/** PUT /api/draft */
export interface DraftBody {
  readonly generation: number;
  readonly content: unknown;
  /** The plan or code review that the draft belongs to, by default the one under review. */
  readonly planId?: string;
  readonly reviewId?: string;
}

/** Response to PUT /api/draft */
export interface StoredDraft {
  readonly generation: number;
  /** ISO 8601 */
  readonly savedAt: string;
}
