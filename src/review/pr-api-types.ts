/** Types of the API of a pull request's review. `api-types.ts` exports them with all others. */

/** GET /api/pr */
export interface PullState {
  readonly forge: "github" | "gitlab" | "bitbucket" | "azure";
  readonly forgeLabel: string;
  readonly host: string;
  /** Path of the repository at the forge: `octo/castle`. */
  readonly repository: string;
  readonly number: number;
  /** The address of its page. */
  readonly url: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly author: string;
  readonly state: "open" | "draft" | "merged" | "closed";
  /**
   * Whether the source branch has conflicts with the target branch. Absent if unknown, for example until the forge has
   * computed it.
   */
  readonly hasConflicts?: boolean;
  /** The target branch. */
  readonly base: string;
  /** The source branch. */
  readonly head: string;
  readonly checks: readonly PullCheck[];
  readonly reviewers: readonly PullReviewer[];
  /** Messages for the person about parts that could not be read. */
  readonly problems: readonly string[];
  /** The reviews posted since the command started, oldest first. */
  readonly posted: readonly PostedReview[];
}

export interface PullCheck {
  readonly name: string;
  /** `success`, `failure`, `pending`, `cancelled`, `skipped`, or another state as the forge names it. */
  readonly state: string;
  readonly url?: string;
}

export interface PullReviewer {
  readonly name: string;
  readonly state?: string;
}

export interface PostedReview {
  readonly verdict: PullVerdict;
  readonly url: string;
  /** Number of items. */
  readonly count: number;
}

export type PullVerdict = "approve" | "comment" | "request_changes";

/** POST /api/pr/preview */
export interface PreviewBody {
  readonly verdict: PullVerdict;
  /** The general text of the review. */
  readonly body?: string;
  /** Ids of threads that this review leaves out. */
  readonly without?: readonly string[];
}

/** Response to POST /api/pr/preview: the items that POST /api/pr/post sends. */
export interface PullPreview {
  /** Id for POST /api/pr/post. */
  readonly preview: string;
  readonly items: readonly PreviewItem[];
  readonly kept: readonly KeptItem[];
}

export interface PreviewItem {
  readonly kind: "comment" | "file" | "general" | "reply" | "resolve" | "reopen" | "verdict";
  /** Absent for the verdict. */
  readonly thread?: string;
  readonly path?: string;
  readonly side?: "old" | "new";
  readonly lineStart?: number;
  readonly lineEnd?: number;
  /** The text in the form in which it is posted. */
  readonly body?: string;
  readonly verdict?: PullVerdict;
}

/**
 * A thread that cannot be posted or that the forge rejected. It stays on the page. `thread` is empty for a rejected
 * verdict.
 */
export interface KeptItem {
  readonly thread: string;
  readonly reason: string;
}

/** POST /api/pr/post. A repeated request with the same preview posts nothing twice. */
export interface PostBody {
  readonly preview: string;
}

/** Response to POST /api/pr/post. */
export interface PostResponse {
  readonly ok: true;
  /** The address of the posted review, or of the pull request if the review has no address. */
  readonly url: string;
  /** Number of `items`. */
  readonly posted: number;
  /**
   * The items that are at the forge. If the forge rejected the verdict, the item of its text has the verdict
   * `comment`.
   */
  readonly items: readonly PreviewItem[];
  readonly kept: readonly KeptItem[];
}
