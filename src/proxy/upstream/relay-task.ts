import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AppError } from "../../errors.ts";
import type { Usage } from "../exchange/response.ts";
import type { AnsweredError } from "../usage/error-event.ts";
import type { StreamWatch } from "../usage/stream-watch.ts";
import type { OpenStreams } from "./open-streams.ts";

/** What is relayed, and to whom. */
export interface RelayTask {
  /** The call's, for events that name it. */
  readonly requestId: string;
  readonly upstream: string;
  readonly response: ServerResponse;
  /** `model`: JSON or events; `media`: anything but a page; `verbatim`: whatever it is, at once (MCP). */
  readonly kind: "model" | "media" | "verbatim";
  /** Whether an answer may have no body: a deletion's, or one to HEAD. */
  readonly mayBeEmpty: boolean;
  /** Whether the client reads the answer as it comes, even where it is not events. */
  readonly isLive: boolean;
  /** Whether the chunk that tells usage is left out of the stream: the client did not ask for it. */
  readonly dropsUsage: boolean;
  /** Headers of ours on the answer: flat list, lower-case names. */
  readonly ownHeaders: readonly string[];
  /** How the client's dialect is read and spoken to; `verbatim` has none. */
  readonly dialect: RelayedDialect | undefined;
  readonly streams: OpenStreams;
}

/** As much of a dialect as the relay needs to know. */
export interface RelayedDialect {
  /** Watches an answer go by. */
  createWatch(): StreamWatch;
  /** Of a whole JSON answer by its end, as Latin-1. */
  usageOf(end: string): Usage | undefined;
  /** The error that a whole JSON answer is, as Latin-1. */
  errorOf(answer: string): AnsweredError | undefined;
  /** The last event for a fault in mid-stream. */
  faultEvent(fault: AppError, requestId: string): string;
  /** A keep-alive; empty where clients take none. */
  readonly ping: string;
}

/** How a try ended. Only `refused` and `failed` have sent the client nothing, so that another try may follow. */
export type RelayOutcome = { readonly firstByteAt: number } & (
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly usage: Usage | undefined;
      /** The error that the answer is, or ended with, under a status that says nothing of it. */
      readonly error: AnsweredError | undefined;
      /** What went by, where usage has yet to be estimated. */
      readonly watch: StreamWatch | undefined;
      /** The answer itself where it was compressed, so that its usage has yet to be read. */
      readonly packed: PackedBody | undefined;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  | { readonly kind: "failed"; readonly fault: AppError }
  | {
      readonly kind: "broken";
      readonly status: number;
      readonly fault: AppError;
      readonly watch: StreamWatch | undefined;
    }
  | { readonly kind: "gone"; readonly watch: StreamWatch | undefined }
);

export interface PackedBody {
  readonly bytes: Buffer;
  /** As `content-encoding` names it. */
  readonly coding: string;
}

/** What a whole answer tells of itself. */
export interface AnswerDetails {
  readonly usage?: Usage | undefined;
  readonly error?: AnsweredError | undefined;
  readonly watch?: StreamWatch | undefined;
  readonly packed?: PackedBody;
}
