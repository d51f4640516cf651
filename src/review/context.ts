import type { FastifyInstance } from "fastify";
import type { AgentOrigin, AgentsResponse, Caller, History } from "./api-types.ts";
import type { AskTarget } from "./ask/ask-target.ts";
import type { AskSubject } from "./ask/compose-prompt.ts";
import type { Decision } from "./decision.ts";
import type { EventHub } from "./events.ts";
import type { ImagePolicy } from "./images/image-policy.ts";
import type { ReviewThreads } from "./live/review-threads.ts";
import type { ThreadAnchors } from "./live/thread-anchors.ts";
import type { SentAnchor } from "./live/thread-bodies.ts";
import type { Session } from "./session.ts";
import type { DraftStore } from "./storage/drafts.ts";
import type { RecordStore } from "./storage/records.ts";
import type { SettingsStore } from "./storage/settings.ts";
import type { Proposal } from "./take-decision.ts";

/** The parts of a review server that differ between reviews of plans, diffs and pull requests. */
export interface ReviewMode {
  readonly kind: "plan" | "code" | "pr";
  registerRoutes(app: FastifyInstance, context: ReviewContext): void;
  /** Renders the plan or the diff into the built page, so that it is readable before scripts run. */
  prerender?(page: string, context: ReviewContext): Promise<string>;
  /**
   * Returns the key of the draft, which is the same for the same plan or branch in every process. It contains only
   * characters that are allowed in file names.
   */
  draftKey(): string;
  /** Returns earlier rounds of the same plan, oldest first; none for a diff. */
  history(context: ReviewContext): Promise<History>;
  /**
   * Returns the paths of images that the current plan contains; shown even if the server listens on other addresses
   * than loopback.
   */
  namedImages(): readonly string[];
  readonly anchors: ThreadAnchors;
  /** Returns the number of the first round of a live review. */
  firstRound(): Promise<number>;
  /**
   * Creates the diff again, or reads the plan again, and moves the threads to it. Calls `onTaken` as soon as
   * requests return the new content, before the threads are moved. Resolves to whether this is a new round.
   */
  refresh(context: ReviewContext, onTaken: () => void): Promise<boolean>;
  /**
   * Starts the next round of a live review if the plan's file was saved and the regular check has not found that yet;
   * absent for a diff. Never rejects.
   */
  catchUp?(context: ReviewContext): Promise<void>;
  /** Keeps the diff when a batch of a live review is sent, for later comparisons; absent for a plan. */
  keepSent?(round: number): Promise<void>;
  /** Describes the subject of a question to a model: the part of the diff or plan at an anchor. */
  describeSubject(anchor: SentAnchor): Promise<AskSubject>;
  /** Returns the current title of the review, if rounds can change it. */
  title?(): string;
  /** Starts the background work of a live review. Returns a function that stops it. */
  startLive(context: ReviewContext): () => void;
  /** Returns the approval that the person gives at the end of a live review. */
  approval(context: ReviewContext, feedback: string): Promise<Proposal>;
  /** Returns the text for stdout. */
  encode(decision: Decision): Promise<string>;
  /** Reports whether the command exits with 10 under --exit-code. */
  isObjection(decision: Decision): boolean;
  /** Returns a decision as text and as JSON, with a title, for its record. */
  present(decision: Decision): Presentation;
}

export interface Presentation {
  readonly title: string;
  readonly text: string;
  readonly json: object;
}

/** Dependencies of the routes of all modes. */
export interface ReviewContext {
  readonly session: Session;
  /** Identifies this review among those of other processes. */
  readonly sessionId: string;
  /** Absolute path of the project under review. */
  readonly project: string;
  /** Token in the HTML of this server's pages. Requests with this token are treated as sent by a page. */
  readonly pageToken: string;
  /** Prints a note for the person on stderr. */
  readonly onNote?: (text: string) => void;
  /** Called after a decision from a program, not a page, has been taken. */
  readonly onProgramDecision?: (decision: Decision) => void;
  /** Checks immediately whether the agent still waits; `events.doubt` has the result. */
  readonly lookAtCaller?: () => Promise<void>;
  readonly origin: AgentOrigin;
  readonly caller: Caller;
  readonly sharingEnabled: boolean;
  /** The model that answers questions; undefined if none is configured. */
  readonly ask?: AskTarget | undefined;
  readonly mode: ReviewMode;
  readonly events: EventHub;
  readonly threads: ReviewThreads;
  readonly drafts: DraftStore;
  readonly settings: SettingsStore;
  readonly records: RecordStore;
  readonly images: ImagePolicy;
  readonly uploadFolder: string;
  /** Folder of uploaded images if `uploadFolder` and the folder beside it belong to other users. */
  readonly uploadFallback: string;
  /** Returns the agents that a decision may name. Never rejects. */
  readonly agents: () => Promise<AgentsResponse>;
}
