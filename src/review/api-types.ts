/**
 * What the review servers and their pages say to each other. Types only: the pages import this file and nothing
 * else of the server. Members named by the specification keep its names; the rest is ours and additive.
 */

export type * from "./code-api-types.ts";

export type AgentOrigin = "origin_a" | "origin_b";

export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions" | "auto" | "dontAsk";

/** GET /api/plan */
export interface PlanState {
  readonly plan: string;
  readonly origin: AgentOrigin;
  readonly permissionMode?: string;
  readonly sharingEnabled: boolean;
  /** Identifies the plan by its content: the key of its draft. */
  readonly planId: string;
  /** Identifies this review; events and drafts of another session carry another. */
  readonly sessionId: string;
  readonly title: string;
  readonly caller: Caller;
  /** 1 for the first time a plan of this title comes from this folder. */
  readonly round: number;
  readonly settings: ReviewSettings;
  /** What the agent's tool call holds besides the plan. It goes back with an approval as it came. */
  readonly requested?: Readonly<Record<string, unknown>>;
  /** Set when the agent sent no plan: what to tell the person. */
  readonly missing?: string;
}

/** What the calling agent is, and what it can be told; the page offers nothing that would be lost. */
export interface Caller {
  /** For labels: "Claude Code", "OpenCode", "Codex CLI", "the command line". */
  readonly name: string;
  readonly cwd: string;
  readonly project: string;
  /** How a note on an approval reaches the agent: not at all, as feedback, or within the plan it gets back. */
  readonly approvalNote: "none" | "feedback" | "plan";
  readonly takesEditedPlan: boolean;
  readonly takesPermissionMode: boolean;
  readonly takesAgentSwitch: boolean;
  /** ISO 8601; when the agent stops waiting, where that is known. */
  readonly deadline?: string | undefined;
}

/** Remembered on the server, since ports (and with them the browser's storage) change. */
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
  /** Of the code page. */
  readonly view?: {
    readonly layout?: "split" | "unified";
    readonly wrap?: boolean;
    readonly whitespace?: boolean;
  };
}

/** POST /api/approve (all members optional). `plan` is ours: the plan as the person edited it. */
export interface ApproveBody {
  readonly vaultapp?: VaultSave;
  readonly noteapp?: { readonly plan: string };
  readonly feedback?: string;
  readonly agentSwitch?: string;
  readonly permissionMode?: PermissionMode;
  readonly planSave?: PlanSave;
  readonly plan?: string;
  /** The plan that was seen: where it is no longer the one under review, nothing is decided (412). */
  readonly planId?: string;
  /** Kept with the decision, for `--json`, the record and the next round. */
  readonly annotations?: readonly PlanAnnotation[];
}

/** POST /api/deny */
export interface DenyBody {
  readonly feedback?: string;
  readonly planSave?: PlanSave;
  /** As in an approval. */
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

/** Answer to approve, deny and feedback. */
export interface DecisionAnswer {
  readonly ok: true;
  readonly savedPath?: string;
  readonly warnings?: readonly string[];
  /** Ours: set where the agent may not read the decision. It is on record all the same. */
  readonly doubt?: CallerDoubt;
}

export interface ErrorAnswer {
  readonly error: string;
}

/** A mark on a plan, anchored to its source so that it finds its place again in the next round. */
export interface PlanAnnotation {
  readonly id: string;
  readonly type: "comment" | "replace" | "delete" | "insert" | "concern" | "label" | "general";
  /** Absent for a general comment. */
  readonly anchor?: PlanAnchor;
  readonly text: string;
  /** Who made it, where that is another person than the reviewer: a colleague, in a shared file. */
  readonly author?: string;
  /** Of `replace` and `insert`: what should stand there. */
  readonly replacement?: string;
  /** Paths from /api/upload. */
  readonly images?: readonly AttachedImage[];
  /** ISO 8601 */
  readonly createdAt: string;
}

/** Offsets count UTF-16 units of the Markdown source, lines from 1; the quote is of the rendered text. */
export interface PlanAnchor {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
  /** The quote is text that this plan no longer has: `start` and `end` are the place where it was. */
  readonly removed?: true;
}

export interface AttachedImage {
  readonly path: string;
  readonly name: string;
}

/** GET and PUT /api/draft. `content` is the page's own; the server keeps it whole and looks at nothing in it. */
export interface Draft<Content = unknown> {
  /** Raised by every PUT; a PUT that is older than what is stored answers 409 with the stored draft. */
  readonly generation: number;
  /** ISO 8601 */
  readonly savedAt: string;
  readonly content: Content | null;
  /** Set where an earlier review stored it: what is in it was typed before this page was opened. */
  readonly isEarlier?: true;
  /** The file that holds a stored draft which could not be read; it is kept for the person to look at. */
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
    /** Whether a page or another program sent it; absent in rounds of 0.1. */
    readonly from?: "page" | "program";
    readonly feedback?: string;
    readonly decidedAt: string;
    readonly annotations?: readonly PlanAnnotation[];
  };
  /** Of a round that was never decided: what was typed about it and never sent. */
  readonly draft?: Draft;
}

/** GET /api/events: server-sent events, the name as `event`, the rest as JSON data. */
export type ReviewEvent =
  | { readonly event: "hello"; readonly sessionId: string }
  /** A program sent the decision, not a page; `decided` follows. */
  | { readonly event: "decided-by-program" }
  | { readonly event: "decided"; readonly decision: "approve" | "deny" | "feedback" }
  | { readonly event: "closing"; readonly reason: "caller-gone" | "timeout" | "signal" | "decided" }
  | { readonly event: "stale" }
  /** The agent may not read the decision. Sent again to every page that connects. */
  | { readonly event: "caller-doubtful"; readonly doubt: CallerDoubt };

/** Why the agent may no longer wait for the decision, although its hook still runs. */
export type CallerDoubt = "asked-again" | "limit-passed" | "went-on" | "launcher-gone" | "terminal-gone";

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** GET /api/agents */
export interface AgentsAnswer {
  readonly agents: readonly Agent[];
  readonly error?: string;
}

/** POST /api/upload */
export interface UploadAnswer {
  readonly path: string;
  readonly originalName: string;
}
