import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AppError } from "../../errors.ts";
import type { Usage } from "../exchange/response.ts";
import type { Redact } from "../redact.ts";
import type { OpenStreams } from "./open-streams.ts";

/** A response to relay, and the options for sending it to the client. */
export interface RelayTask {
  /** The call's request id, which error events contain. */
  readonly requestId: string;
  readonly upstream: string;
  readonly response: ServerResponse;
  /** `model`: JSON or events; `media`: anything but HTML; `verbatim`: anything, without buffering (MCP). */
  readonly kind: "model" | "media" | "verbatim";
  /** Whether a response may have no body, as after a deletion or HEAD. */
  readonly mayBeEmpty: boolean;
  /** Whether the client reads the response as it arrives, even if it is not an event stream. */
  readonly isLive: boolean;
  /** Creates the filter of an event stream, and of any uncompressed response of kind `verbatim`. */
  readonly createFilter: (() => StreamFilter) | undefined;
  /** The proxy's headers for the response: flat list, names in lower case. */
  readonly ownHeaders: readonly string[];
  /** Whether the vendor's rate-limit headers are removed, because the proxy's own apply. */
  readonly hidesLimits?: boolean;
  /** Redacts secrets in the upstream's headers. */
  readonly redact: Redact;
  /** Decodes and encodes the client's dialect; undefined for `verbatim`. */
  readonly dialect: RelayedDialect | undefined;
  readonly streams: OpenStreams;
  /**
   * Receives the function that sends the last bytes, before the outcome is reported. It is called once the call is
   * recorded, so that a call whose response is complete survives the end of the process.
   */
  readonly endWith: (send: () => void) => void;
}

/** The parts of a dialect that the relay uses. */
export interface RelayedDialect {
  /** Creates the watch of one response. */
  createWatch(): ResponseWatch;
  /** Returns the usage in a whole JSON response. */
  parseUsage(body: Buffer): Usage | undefined;
  /** Returns the error in a whole JSON response of status 200, if it is one. */
  readError(body: Buffer): ResponseError | undefined;
  /** Returns the last event of a stream that fails. */
  errorEvent(error: AppError, requestId: string): string;
  /** A keep-alive; empty if clients accept none. */
  readonly ping: string;
}

/** Inspects the bytes of a response as they are relayed. */
export interface ResponseWatch {
  push(bytes: Buffer): void;
  /** Whether the dialect's last event was seen and its line is complete. */
  readonly ended: boolean;
  /** The error event that was seen. */
  readonly error: ResponseError | undefined;
  /** Whether the proxy can insert an event at this point. */
  readonly betweenEvents: boolean;
  /** Whether JSON that is not an event stream ends with a closing brace or bracket. */
  readonly endsValue: boolean;
  /** A sample of the response, to estimate its tokens. */
  readonly sample: ResponseSample;
  usage(): Usage | undefined;
}

/** Part of a response, and the length of the whole response. */
export interface ResponseSample {
  readonly text: string;
  /** Characters or bytes, as in `text`. */
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
 * How an attempt ended. In `refused` and `failed` the client has been sent nothing, so another attempt may follow.
 */
export type RelayOutcome = { readonly firstByteAt: number } & (
  | {
      readonly kind: "completed";
      readonly status: number;
      readonly usage: Usage | undefined;
      /** The error that the response contains despite its success status. */
      readonly responseError: ResponseError | undefined;
      /** The watch, if usage must be estimated. */
      readonly watch: ResponseWatch | undefined;
      /** The compressed response, if its usage must still be read. */
      readonly compressed: CompressedBody | undefined;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
      /** Whether the prompt exceeds the model's context window, if the rule tests that. */
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

/** The facts about a response that has ended. */
export interface ResponseDetails {
  readonly usage?: Usage | undefined;
  readonly responseError?: ResponseError | undefined;
  readonly watch?: ResponseWatch | undefined;
  readonly compressed?: CompressedBody;
}
