/**
 * Types of the API between the review servers and their pages. The pages import only this file from the server.
 * Members that the specification defines keep its names.
 */

import type {
  InboxContent,
  LiveAgent,
  LiveState,
  NewThreadBody,
  ReviewList,
  Thread,
} from "./live-api-types.ts";

export type * from "./code-api-types.ts";
export type * from "./draft-api-types.ts";
export type * from "./live-api-types.ts";
export type * from "./notebook-api-types.ts";
export type * from "./pr-api-types.ts";
export type * from "./reading-api-types.ts";

export type AgentOrigin = "origin_a" | "origin_b";

export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions" | "auto" | "dontAsk";

/** GET /api/plan */
export interface PlanState {
  readonly plan: string;
  readonly origin: AgentOrigin;
  readonly permissionMode?: string;
  readonly sharingEnabled: boolean;
  /** Identifies the plan; the key of its draft. */
  readonly planId: string;
  /** Identifies this review among those of other processes. */
  readonly sessionId: string;
  readonly title: string;
  readonly caller: Caller;
  /** Number of the round among plans with this title from this folder, starting at 1. */
  readonly round: number;
  readonly settings: ReviewSettings;
  /** Members of the agent's tool call other than the plan. An approval returns them unchanged. */
  readonly requested?: Readonly<Record<string, unknown>>;
  /** Message for the person; set if the agent sent no plan. */
  readonly missing?: string;
  /** Present if `review.ask` is configured, so that the person can ask a model. */
  readonly ask?: AskChoice;
  /** Set in a live review. */
  readonly live?: LiveState;
}

/** The model that receives questions. */
export interface AskChoice {
  readonly model: string;
}

/** An earlier question of the same conversation, and the model's answer. */
export interface AskExchange {
  readonly question: string;
  readonly response: string;
}

/**
 * POST /api/ask: exactly one of `thread` (an id) and `anchor`. The response is server-sent events: `delta` with
 * `{text}`, any number of times, then `done`, or `error` with `{error}`.
 */
export interface AskBody {
  readonly thread?: string;
  readonly anchor?: NewThreadBody["anchor"];
  readonly question: string;
  readonly earlier?: readonly AskExchange[];
}

/** GET /api/ask/prompt?anchor=JSON or ?thread=ID, with &question=…: what POST /api/ask would use without `earlier`. */
export interface AskPrompt {
  readonly url: string;
  readonly model: string;
  readonly prompt: string;
}

/** The calling agent and what it can receive. The page offers only choices that reach the agent. */
export interface Caller {
  /** Display name: "Claude Code", "OpenCode", "Codex CLI", "the command line". */
  readonly name: string;
  readonly cwd: string;
  readonly project: string;
  /** How feedback on an approval reaches the agent: not at all, as feedback, or inside the plan. */
  readonly approvalNote: "none" | "feedback" | "plan";
  readonly takesEditedPlan: boolean;
  readonly takesPermissionMode: boolean;
  readonly takesAgentSwitch: boolean;
  /** When the agent stops waiting, if known. ISO 8601. */
  readonly deadline?: string | undefined;
}

/**
 * Settings of the review pages. The server stores them because browsers store data by port, and each review
 * may use another port.
 */
export interface ReviewSettings {
  readonly theme: "system" | "light" | "dark";
  readonly planSave: { readonly enabled: boolean; readonly customPath?: string };
  readonly vaultapp?: {
    readonly enabled: boolean;
    readonly vaultPath: string;
    readonly folder?: string;
    readonly tags?: readonly string[];
  };
  readonly noteapp?: { readonly enabled: boolean };
  /** View options of the code page. */
  readonly view?: {
    readonly layout?: "split" | "unified";
    readonly wrap?: boolean;
    readonly whitespace?: boolean;
    readonly tabWidth?: TabWidth;
  };
}

/** Columns between two tab stops. */
export type TabWidth = 2 | 4 | 8;

/**
 * POST /api/approve (all members optional). Not in the specification: `plan` (the plan as the person edited it),
 * `planId` and `annotations`.
 */
export interface ApproveBody {
  readonly vaultapp?: VaultSave;
  readonly noteapp?: { readonly plan: string };
  readonly feedback?: string;
  readonly agentSwitch?: string;
  readonly permissionMode?: PermissionMode;
  readonly planSave?: PlanSave;
  readonly plan?: string;
  /** The plan that the person saw. If another plan is under review, the response is 412 and nothing is decided. */
  readonly planId?: string;
  /** Stored with the decision for `--json`, the record and the next round. */
  readonly annotations?: readonly PlanAnnotation[];
}

/** POST /api/deny. Not in the specification: `planId` and `annotations`. */
export interface DenyBody {
  readonly feedback?: string;
  readonly planSave?: PlanSave;
  /** The plan that the person saw, as in `ApproveBody`. */
  readonly planId?: string;
  readonly annotations?: readonly PlanAnnotation[];
}

export interface PlanSave {
  readonly enabled?: boolean;
  readonly customPath?: string;
}

export interface VaultSave {
  readonly vaultPath: string;
  readonly folder?: string;
  readonly tags?: readonly string[];
  readonly plan: string;
}

/** GET /api/notes/vaults */
export interface VaultList {
  /** Paths of the vaults of Obsidian that exist. */
  readonly vaults: readonly string[];
}

/** Response to approve, deny and feedback. */
export interface DecisionResponse {
  readonly ok: true;
  readonly savedPath?: string;
  readonly warnings?: readonly string[];
  /** Not in the specification: set if the agent might not read the decision, which is still recorded. */
  readonly doubt?: CallerDoubt;
}

/** Response to a request without another result. */
export interface Done {
  readonly ok: true;
}

/** Body of every response with an error status, except the 409 of a draft. */
export interface ErrorResponse {
  readonly error: string;
}

/** An annotation of a plan, anchored to its source so that it can be located in the next round. */
export interface PlanAnnotation {
  readonly id: string;
  readonly type: "comment" | "replace" | "delete" | "insert" | "concern" | "label" | "general";
  /** Absent for a general comment. */
  readonly anchor?: PlanAnchor;
  readonly text: string;
  /** Name of the author if it is not the reviewer: another person whose comment was imported from a shared file. */
  readonly author?: string;
  /** New text of a `replace` or `insert`. */
  readonly replacement?: string;
  /** Images from /api/upload. */
  readonly images?: readonly AttachedImage[];
  /** ISO 8601 */
  readonly createdAt: string;
}

/**
 * Location of an annotation. Offsets are in UTF-16 units of the Markdown source, and lines start at 1. The quote is
 * rendered text.
 */
export interface PlanAnchor {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
  /** Set if the plan no longer has the quoted text; `start` and `end` are where it was. */
  readonly removed?: true;
}

export interface AttachedImage {
  readonly path: string;
  readonly name: string;
}

/** GET /api/events: server-sent events. The name is sent as `event`, the other members as JSON data. */
export type ReviewEvent =
  | { readonly event: "hello"; readonly sessionId: string }
  /** A program sent the decision instead of a page. `decided` follows. */
  | { readonly event: "decided-by-program" }
  | { readonly event: "decided"; readonly decision: "approve" | "deny" | "feedback" }
  | {
      readonly event: "closing";
      readonly reason: "caller-gone" | "timeout" | "signal" | "decided" | "ended" | "idle";
    }
  | { readonly event: "stale" }
  /** A thread was opened or changed. */
  | ({ readonly event: "thread" } & Thread)
  /** A new round of a live review: the diff was created again, or the plan was saved. */
  | { readonly event: "round"; readonly round: number }
  | ({ readonly event: "agent" } & LiveAgent)
  /** The draft with this key, a `planId` or `reviewId`, was saved. */
  | { readonly event: "draft"; readonly key: string; readonly generation: number }
  /** The list of waiting or decided reviews has changed. Sent only by the inbox server. */
  | ({ readonly event: "inbox" } & InboxContent)
  /** The other reviews that are open on this machine have changed. */
  | ({ readonly event: "reviews" } & ReviewList)
  /** The agent might not read the decision. Sent again to every page that connects. */
  | { readonly event: "caller-doubtful"; readonly doubt: CallerDoubt };

/**
 * Why the agent might not read the decision. In the first four cases, it certainly will not: the agent has requested
 * another review, has received a decision in its own terminal, has continued, or has stopped waiting. `disconnected`
 * occurs only in live reviews.
 */
export type CallerDoubt =
  | "asked-again"
  | "decided-in-terminal"
  | "went-on"
  | "limit-passed"
  | "launcher-gone"
  | "terminal-gone"
  | "disconnected";

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** GET /api/agents */
export interface AgentsResponse {
  readonly agents: readonly Agent[];
  readonly error?: string;
}

/** POST /api/upload */
export interface UploadResponse {
  readonly path: string;
  readonly originalName: string;
}
