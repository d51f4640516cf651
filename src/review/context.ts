import type { FastifyInstance } from "fastify";
import type { AgentOrigin, AgentsAnswer, Caller, History } from "./api-types.ts";
import type { Decision } from "./decision.ts";
import type { EventHub } from "./events.ts";
import type { ImagePolicy } from "./images/image-policy.ts";
import type { Session } from "./session.ts";
import type { DraftStore } from "./storage/drafts.ts";
import type { RecordStore } from "./storage/records.ts";
import type { SettingsStore } from "./storage/settings.ts";

/** What differs between a plan review and a code review. The server itself knows only this much of either. */
export interface ReviewMode {
  readonly kind: "plan" | "code";
  /** Adds the routes that are this mode's alone. */
  registerRoutes(app: FastifyInstance, context: ReviewContext): void;
  /** Puts what is under review into the built page, so that it can be read before any script has run. */
  prerender?(page: string, context: ReviewContext): Promise<string>;
  /** The key of the draft: the same for the same thing under review, across processes. File name characters only. */
  draftKey(): string;
  /** Earlier rounds of the same thing, oldest first. */
  history(context: ReviewContext): Promise<History>;
  /** Images that the thing under review names; shown even where the server is bound beyond loopback. */
  readonly namedImages: readonly string[];
  /** Returns what stdout carries. */
  encode(decision: Decision): Promise<string>;
  /** Returns whether --exit-code ends the command with 10. */
  isObjection(decision: Decision): boolean;
  /** A decision as the agent reads it: as text, as JSON, and what it was about. For the record and for stdout. */
  present(decision: Decision): Presentation;
}

export interface Presentation {
  readonly title: string;
  readonly text: string;
  readonly json: object;
}

/** What every route of both modes may use. */
export interface ReviewContext {
  readonly session: Session;
  /** Identifies this review among those of other processes. */
  readonly sessionId: string;
  /** The folder of the project under review, absolute. */
  readonly project: string;
  /** Given to this server's pages in their HTML: what carries it comes from a page. */
  readonly pageToken: string;
  /** Called once a decision is on record that a program sent, not a page. */
  readonly onProgramDecision?: (decision: Decision) => void;
  /** Looks now whether the agent still waits; `events.doubt` says what was found. */
  readonly lookAtCaller?: () => Promise<void>;
  readonly origin: AgentOrigin;
  readonly caller: Caller;
  readonly sharingEnabled: boolean;
  readonly mode: ReviewMode;
  readonly events: EventHub;
  readonly drafts: DraftStore;
  readonly settings: SettingsStore;
  readonly records: RecordStore;
  readonly images: ImagePolicy;
  /** Where uploaded images are kept. */
  readonly uploadFolder: string;
  /** Where they go if neither that folder nor the one beside it can be ours. */
  readonly uploadFallback: string;
  /** The agents a decision may name; never throws. */
  readonly agents: () => Promise<AgentsAnswer>;
}
