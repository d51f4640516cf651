import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AppError } from "../../errors.ts";
import type { Usage } from "../exchange/response.ts";
import type { Redact } from "../redact.ts";
import type { OpenStreams } from "./open-streams.ts";

/** The part of `AbortSignal` by which an upstream call is canceled. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A response to relay, and the options for sending it to the client. */
export interface RelayTask {
  /** The call's request id. Error events contain it. */
  readonly requestId: string;
  readonly upstream: string;
  readonly response: ServerResponse;
  /**
   * The content types that are relayed. `model`: JSON, event streams and responses without a type; `media`: everything
   * except HTML; `verbatim` (for MCP): everything, without buffering; `pass-through`: everything, without buffering
   * except errors, whose bodies are redacted.
   */
  readonly kind: "model" | "media" | "verbatim" | "pass-through";
  /** Whether an empty body is valid, as in the response to a deletion or to HEAD. */
  readonly mayBeEmpty: boolean;
  /** Whether the client reads the response as it arrives, even if the response is not an event stream. */
  readonly isLive: boolean;
  /** Creates the filter for an uncompressed response that is an event stream or of the kind `pass-through`. */
  readonly createFilter: (() => StreamFilter) | undefined;
  /** The proxy's headers for the response: flat list, names in lower case. */
  readonly ownHeaders: readonly string[];
  /** Whether the vendor's rate-limit headers are removed, because the proxy's own limits apply. */
  readonly hidesLimits?: boolean;
  /** Redacts secrets in the upstream's headers. */
  readonly redact: Redact;
  /** Reads and writes the client's dialect; undefined for MCP, which has none. */
  readonly dialect: RelayedDialect | undefined;
  readonly streams: OpenStreams;
  /**
   * Stores `send`, which sends the last bytes of the response. The owner of the task calls `send` once the call has
   * been recorded, so that a call whose client has the complete response is recorded even if the process ends.
   */
  readonly endWith: (send: () => void) => void;
}

/** The parts of a dialect that the relay uses. */
export interface RelayedDialect {
  /** Creates the watch for one response. */
  createWatch(): ResponseWatch;
  /**
   * Returns the usage in a whole JSON response and, with `mayBeError`, the error that a response of status 200
   * contains; each undefined if there is none.
   */
  readDetails(body: Buffer, mayBeError: boolean): Pick<ResponseDetails, "usage" | "responseError">;
  /** Returns the event that ends a failed stream. */
  errorEvent(error: AppError, requestId: string): string;
  /** A keep-alive for event streams; empty if clients of the dialect accept none. */
  readonly ping: string;
}

/** Inspects the bytes of a response as they are relayed. */
export interface ResponseWatch {
  push(bytes: Buffer): void;
  /** Whether the dialect's last event has arrived and its line is complete. */
  readonly ended: boolean;
  /** The error event, if one has arrived. */
  readonly error: ResponseError | undefined;
  /** Whether the proxy can insert an event at this point. */
  readonly betweenEvents: boolean;
  /** Whether the bytes so far end with a closing brace or bracket, as a complete JSON object or array does. */
  readonly endsValue: boolean;
  /** A sample of the response, from which its tokens are estimated. */
  readonly sample: ResponseSample;
  usage(): Usage | undefined;
}

/** A part of a response, and the length of the whole response. */
export interface ResponseSample {
  readonly text: string;
  /**
   * The length of the whole response, in the unit of `text.length`; an estimate if `text` is the end of a longer
   * response.
   */
  readonly total: number;
}

/** An error in a response of status 200. */
export interface ResponseError {
  /** The status that corresponds to the error. */
  readonly status: number;
  readonly message: string | undefined;
}

/** Changes a response on its way to the client. */
export interface StreamFilter {
  /** Returns the bytes to forward. */
  push(bytes: Buffer): Buffer;
  /** Returns the remaining bytes at the end of the stream. */
  end(): Buffer;
}

/**
 * The outcome of an attempt. After `refused` and `failed`, the client has received nothing, so another attempt can
 * follow.
 */
export type RelayOutcome = { readonly firstByteAt: number } & (
  | {
      readonly kind: "completed";
      readonly status: number;
      readonly usage: Usage | undefined;
      /** The error that the response contains despite its success status. */
      readonly responseError: ResponseError | undefined;
      /** The watch for estimating usage that the vendor has not reported, if there is one. */
      readonly watch: ResponseWatch | undefined;
      /** The compressed response, if its usage has not been read yet. */
      readonly compressed: CompressedBody | undefined;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
      /** Whether the prompt exceeds the model's context window. Set only if the routing rule tests that. */
      readonly isOverflow?: boolean;
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
  /** The value of `content-encoding`. */
  readonly coding: string;
}

/** The details of a completed response. */
export interface ResponseDetails {
  readonly usage?: Usage | undefined;
  readonly responseError?: ResponseError | undefined;
  readonly watch?: ResponseWatch | undefined;
  readonly compressed?: CompressedBody;
}
