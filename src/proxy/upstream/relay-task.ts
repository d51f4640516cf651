import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AppError } from "../../errors.ts";
import type { Usage } from "../exchange/response.ts";
import type { Redact } from "../redact.ts";
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
  /** Creates the filter that an event stream passes through on its way to the client. */
  readonly createFilter: (() => StreamFilter) | undefined;
  /** Headers of ours on the answer: flat list, lower-case names. */
  readonly ownHeaders: readonly string[];
  /** Replaces secrets in the headers of the upstream. */
  readonly redact: Redact;
  /** How the client's dialect is read and spoken to; `verbatim` has none. */
  readonly dialect: RelayedDialect | undefined;
  readonly streams: OpenStreams;
}

/** As much of a dialect as the relay needs to know. */
export interface RelayedDialect {
  /** Creates the watch of one response. */
  createWatch(): ResponseWatch;
  /** Returns the usage in a whole JSON response. */
  usageOf(body: Buffer): Usage | undefined;
  /** Returns the error that a whole JSON response of status 200 is. */
  errorOf(body: Buffer): ResponseError | undefined;
  /** Returns the last event for an error in mid-stream. */
  errorEvent(error: AppError, requestId: string): string;
  /** A keep-alive; empty where clients take none. */
  readonly ping: string;
}

/** Watches the bytes of a response go by. */
export interface ResponseWatch {
  push(bytes: Buffer): void;
  /** Whether the dialect's last event was seen, and the last line is whole. */
  readonly ended: boolean;
  /** The error event that was seen. */
  readonly error: ResponseError | undefined;
  /** Whether an event of the proxy could be put here. */
  readonly betweenEvents: boolean;
  /** Whether JSON that is not an event stream ends like a whole object or list. */
  readonly endsValue: boolean;
  /** The last bytes, to estimate the response's tokens. */
  readonly sample: ResponseSample;
  usage(): Usage | undefined;
}

/** A piece of a response, and the length of all of it. */
export interface ResponseSample {
  readonly text: string;
  /** Characters or bytes, like the length of `text`. */
  readonly total: number;
}

/** An error in a response of status 200. */
export interface ResponseError {
  /** The status that belongs to the error. */
  readonly status: number;
  readonly message: string | undefined;
}

/** Removes events from a stream. */
export interface StreamFilter {
  /** Returns the bytes that go on. */
  push(bytes: Buffer): Buffer;
  /** Returns the bytes that are left at the stream's end. */
  end(): Buffer;
}

/** How an attempt ended. Only `refused` and `failed` have sent the client nothing, so that another attempt may follow. */
export type RelayOutcome = { readonly firstByteAt: number } & (
  | {
      readonly kind: "completed";
      readonly status: number;
      readonly usage: Usage | undefined;
      /** The error that the response is, or ended with, under a status of success. */
      readonly responseError: ResponseError | undefined;
      /** What went by, where usage has yet to be estimated. */
      readonly watch: ResponseWatch | undefined;
      /** The answer itself where it was compressed, so that its usage has yet to be read. */
      readonly compressed: CompressedBody | undefined;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  | { readonly kind: "failed"; readonly error: AppError }
  | {
      readonly kind: "broken";
      readonly status: number;
      readonly error: AppError;
      readonly watch: ResponseWatch | undefined;
    }
  | { readonly kind: "disconnected"; readonly watch: ResponseWatch | undefined }
);

export interface CompressedBody {
  readonly bytes: Buffer;
  /** As `content-encoding` names it. */
  readonly coding: string;
}

/** What a whole answer tells of itself. */
export interface ResponseDetails {
  readonly usage?: Usage | undefined;
  readonly responseError?: ResponseError | undefined;
  readonly watch?: ResponseWatch | undefined;
  readonly compressed?: CompressedBody;
}
