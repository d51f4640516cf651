import type { CellPosition } from "./notebook-api-types.ts";

/** Types of threads, live reviews and the list of reviews. `api-types.ts` exports them with all others. */

/** The author of a message, or of a change of a thread's state. */
export interface ThreadAuthor {
  readonly kind: "person" | "agent" | "tool";
  readonly name: string;
}

/** The position of a thread. The server fills in `code` and `quote`. */
export type ThreadAnchor =
  | {
      readonly kind: "lines";
      readonly path: string;
      readonly side: "old" | "new";
      /** Line numbers from 1, both inclusive. */
      readonly lineStart: number;
      readonly lineEnd: number;
      readonly code: string;
      /** Set by the server for lines of a notebook's cell. */
      readonly cell?: CellPosition;
    }
  | { readonly kind: "file"; readonly path: string }
  /** Offsets in UTF-16 units of the Markdown source. */
  | { readonly kind: "plan"; readonly start: number; readonly end: number; readonly quote: string }
  | { readonly kind: "review" };

export interface ThreadMessage {
  readonly id: string;
  readonly author: ThreadAuthor;
  /** ISO 8601, UTC, as are all times here. */
  readonly at: string;
  readonly markdown: string;
  readonly suggestedCode?: string;
  /** When the person sent the message in a batch; null if it was not sent. */
  readonly sentAt: string | null;
  /** When the agent received the message; null if it has not received it. */
  readonly deliveredAt: string | null;
  /** When the message was posted at the forge of a pull request; absent if it was not posted. */
  readonly postedAt?: string;
}

export type ThreadType = "comment" | "suggestion" | "concern" | "question" | "finding";
export type ThreadSeverity = "info" | "warning" | "error";
export type ThreadState = "open" | "resolved" | "dismissed";

/** Response to every write of a thread, and the data of a `thread` event. */
export interface Thread {
  readonly id: string;
  readonly anchor: ThreadAnchor;
  readonly type: ThreadType;
  readonly state: ThreadState;
  readonly severity: ThreadSeverity | null;
  readonly messages: readonly ThreadMessage[];
  /** The round in which the thread was opened. */
  readonly round: number;
  /** Whether the lines or the quote no longer exist. If so, the anchor is the last known one. */
  readonly outdated: boolean;
  readonly resolvedBy: ThreadAuthor | null;
  /** Whether the person has accepted the finding; absent for other types. */
  readonly accepted?: boolean;
}

/** GET /api/threads */
export interface ThreadList {
  readonly threads: readonly Thread[];
}

/** POST /api/threads */
export interface NewThreadBody {
  /** `code`, `cell` and `quote` are ignored. */
  readonly anchor:
    | Omit<Extract<ThreadAnchor, { kind: "lines" }>, "code" | "cell">
    | Omit<Extract<ThreadAnchor, { kind: "plan" }>, "quote">
    | Extract<ThreadAnchor, { kind: "file" | "review" }>;
  readonly type: ThreadType;
  readonly markdown: string;
  readonly severity?: ThreadSeverity | null;
  readonly suggestedCode?: string;
  /** Agents and tools name themselves. */
  readonly author?: ThreadAuthor;
  /**
   * Identifies the comment in the client. A repeated request with the same key and content, for example after a lost
   * response, adds nothing while the comment is unsent.
   */
  readonly idempotencyKey?: string;
  /** The round to which the anchor refers. If it is not the newest, the response is 409 and nothing is added. */
  readonly round?: number;
}

/** POST /api/threads/{id}/messages */
export interface NewMessageBody {
  readonly markdown: string;
  readonly suggestedCode?: string;
  readonly author?: ThreadAuthor;
  /** As in `NewThreadBody`, for the messages of one thread. */
  readonly idempotencyKey?: string;
}

/** PATCH /api/threads/{id}: at least one of `state` and `accepted`. */
export interface ThreadChangeBody {
  readonly state?: ThreadState;
  readonly accepted?: true;
  readonly author?: ThreadAuthor;
}

/** POST /api/send */
export interface SendBody {
  /** The person's general message. */
  readonly feedback?: string;
  /**
   * Identifies the message in the client. A repeated request with the same key and message, for example after a lost
   * response, does not send the message again.
   */
  readonly idempotencyKey?: string;
}

/** POST /api/finish. `idempotencyKey` is that of an earlier `send`, which may have sent the same message. */
export interface FinishBody extends SendBody {
  readonly approved: boolean;
  /** The round that the person saw. If an approval names a round before the newest, the response is 409. */
  readonly round?: number;
}

/** GET /api/live: state of a live review. Also in `live` of GET /api/diff/index and GET /api/plan. */
export interface LiveState {
  /** Number of the current round, starting at 1. */
  readonly round: number;
  readonly agent: LiveAgent;
}

/** Data of an `agent` event: the state of a live review's agent. */
export interface LiveAgent {
  /** The name that the agent gave, for example `claude-code`; empty if unknown. */
  readonly name: string;
  /**
   * `none`: no agent has connected. `waiting`: a `wait` is open. `working`: the last `wait` returned, or the agent made
   * another call; more may follow. `gone`: the agent has exited, its connection broke, or it might not read the output
   * of its open `wait`.
   */
  readonly state: "none" | "waiting" | "working" | "gone";
  /** The status that the agent reported (`sallyport review status --text`); absent if there is none. */
  readonly progress?: string;
}

/** A review that is open on this machine. */
export interface ReviewEntry {
  readonly id: string;
  readonly mode: "plan" | "code" | "pr" | "files";
  readonly live: boolean;
  readonly url: string;
  readonly title: string;
  readonly repository: string;
  readonly agent: string;
  /** When the review was opened, as ISO 8601. */
  readonly since: string;
}

/** GET /api/reviews */
export interface ReviewList {
  readonly reviews: readonly ReviewEntry[];
}

/** A review that was decided today. */
export interface DecidedReview extends Omit<ReviewEntry, "url" | "live" | "since"> {
  readonly decision: "approve" | "deny" | "feedback" | "ended";
  /** ISO 8601 */
  readonly decidedAt: string;
}

/** GET /api/inbox, and the data of an `inbox` event. Newest first. */
export interface InboxContent {
  readonly waiting: readonly ReviewEntry[];
  readonly decided: readonly DecidedReview[];
}

/** The data that an agent receives from a live review: `sallyport review wait --json` prints it. */
export interface LiveBatch {
  readonly event: "feedback" | "approved" | "ended";
  readonly round: number;
  /** The threads with new messages of the person and the newly accepted findings, as they were when they were sent. */
  readonly threads: readonly Thread[];
  /** The person's general message; empty if there is none. */
  readonly feedback: string;
}

/** POST /api/wait */
export interface WaitBody {
  /** Maximum wait in seconds. Without it, the wait ends with the next batch. */
  readonly timeout?: number;
  /** Returns the last batch again. */
  readonly again?: boolean;
  /** Keeps the response open until POST /api/batches/{id} confirms the batch; otherwise, the next `wait` gets it. */
  readonly hold?: boolean;
  /** The agent might not read what the caller prints: every other `wait` is served first. */
  readonly doubtful?: boolean;
  readonly author?: ThreadAuthor;
}

/** Response to POST /api/wait: a batch with its id, or no event if the time has passed. */
export type WaitResponse = (LiveBatch & { readonly id: string }) | { readonly event: null };

/** POST /api/status. An empty text clears the status. */
export interface StatusBody {
  readonly text: string;
  readonly author?: ThreadAuthor;
}

/** Response to POST /api/refresh */
export interface RefreshResponse {
  readonly ok: true;
  /** Number of the new round. */
  readonly round: number;
}
